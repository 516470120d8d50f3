"""`leadline show --export` of figures, as a user types it."""

import json
import os
import stat

import pytest
from click.testing import CliRunner
from exports_examples import IMPORTED, MEASURED, a_run

from leadline.analysis.findings.conclude import conclude
from leadline.cli import group
from leadline.core.errors import UserError
from leadline.exchange.exports import export, names
from leadline.model.imported import Import
from leadline.store.folder import RunFolder


@pytest.fixture
def runs(tmp_path):
    """A folder with one run, whose figures another program measured."""
    folder = RunFolder.create(tmp_path / "runs", "imported")
    imported = Import(program="other 1.0", files=("a.txt",), figures=(MEASURED, IMPORTED))
    folder.write(a_run(run=folder.name, imported=imported))
    folder.close()
    return folder.path.parent


def leadline(*words):
    result = CliRunner().invoke(group, list(map(str, words)))
    if isinstance(result.exception, UserError):
        return str(result.exception)
    assert result.exit_code == 0, result.output
    return result.output


def test_an_import_has_figures_in_every_format(runs, tmp_path):
    folder = RunFolder.open("last", runs)
    run = folder.read()
    figures = [name for name in names() if not hasattr(export(name), "text")]
    assert len(figures) > 5
    for name in figures:
        target = tmp_path / "out"
        leadline("show", "last", "--runs", runs, "--export", name, "--output", target)
        shown = leadline("show", "last", "--runs", runs, "--export", name)
        assert target.read_text() == shown == export(name).write(run, conclude(run, None))


def test_an_import_has_no_samples_and_says_what_it_has(runs, tmp_path):
    for form in ("csv", "json"):
        answer = leadline("show", "last", "--runs", runs, "--export", form)
        assert "no samples" in answer and "--export figures-csv" in answer
    target = tmp_path / "out.parquet"
    answer = leadline("show", "last", "--runs", runs, "--export", "parquet", "--output", target)
    assert "no samples" in answer and not target.exists()


def test_a_file_is_exported_like_a_run(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x")
    answer = leadline("show", table, "--export", "csv")
    assert "no samples" in answer and str(table) in answer


def test_without_a_format_all_are_listed(runs):
    answer = leadline("show", "last", "--export", "--runs", runs)
    assert all(name in answer for name in names())


def test_a_file_is_whole_and_others_may_read_it(runs, tmp_path):
    """A collector that runs as another user reads the folder at any time."""
    target = tmp_path / "leadline.prom"
    target.write_text("old")
    target.chmod(0o600)
    before = target.stat().st_ino
    words = ("show", "last", "--runs", runs, "--export", "prometheus", "--output", target)
    mask = os.umask(0o022)
    try:
        leadline(*words)
    finally:
        os.umask(mask)
    assert target.stat().st_ino != before
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert len(list(tmp_path.iterdir())) == 2


def test_figures_go_to_standard_output_too(runs):
    rows = json.loads(leadline("show", "last", "--runs", runs, "--export", "figures-json"))
    assert [row["statistic"] for row in rows] == ["median", "mean"]
    assert leadline("show", "nothing", "--runs", runs, "--export", "lines").count("\n") == 0


def test_a_part_of_a_run_has_its_figures_alone(runs):
    words = ("--runs", runs, "--export", "figures-json")
    assert len(json.loads(leadline("show", "last:mode=blocking,place=1x2", *words))) == 2
    answer = leadline("show", "last:mode=other", *words)
    assert "its values are blocking" in answer
