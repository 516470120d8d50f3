"""A file of another program is shown, and has a report, without being kept as a run."""

import json

import pytest
from checkout import CHECKOUT
from click.testing import CliRunner

from leadline.cli import group
from leadline.core.errors import UserError

FILE = CHECKOUT / "datasets" / "waseda-pingpong-score.csv"


@pytest.fixture
def show(tmp_path, monkeypatch):
    """Show the file with further words, and return what is printed."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))

    def make(*words):
        result = CliRunner().invoke(group, ["show", str(FILE), *map(str, words)])
        if isinstance(result.exception, UserError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return make


def test_file_has_a_report(show, tmp_path):
    said = show("--html", tmp_path / "report.html")
    assert "SCore" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "These times are not medians but means." in page
    assert "Myrinet in theory" in page
    assert not (tmp_path / "runs").exists()


def test_file_as_json_has_no_folder(show):
    answer = json.loads(show("--json"))
    assert answer["folder"] is None
    assert {point["statistic"] for point in answer["points"]} == {"mean"}


def test_file_cannot_be_recovered(show):
    with pytest.raises(UserError, match=r"waseda-pingpong-score.csv' is a file of another program"):
        show("--recover")


def test_facts_without_times_are_shown_as_a_table(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    networks = CHECKOUT / "datasets" / "waseda-networks.csv"
    said = CliRunner().invoke(group, ["show", str(networks)]).stdout
    assert said.count("What a pair of nodes is said to get") == 1
    assert "Fast Ethernet  16x1           8" in said
