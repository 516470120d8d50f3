"""Hints for MPI-IO: the pattern file, what is made of it, and the command."""

import json

import pytest
from click.testing import CliRunner

from leadline.cli import group
from leadline.core.errors import UserError
from leadline.measure.knobs.hints import Rule, hints_of, merged, parse_rules, rules_text, with_rule

TEXT = """
# by the administrator
*        romio_ds_write=disable cb_nodes=1
*.h5     cb_nodes=4    # parallel files
/out/*   striping_factor=8
"""


def test_every_line_that_matches_counts_and_a_later_one_wins():
    rules = parse_rules(TEXT)
    assert hints_of(rules, "/out/a.h5") == {
        "romio_ds_write": "disable", "cb_nodes": "4", "striping_factor": "8",
    }  # fmt: skip
    assert hints_of(rules, "a.txt") == {"romio_ds_write": "disable", "cb_nodes": "1"}
    assert merged(rules)["cb_nodes"] == "4"
    assert parse_rules(rules_text(rules)) == rules


def test_a_pattern_has_one_line():
    rules = [Rule("*", {"a": "1", "b": "2"})]
    assert with_rule(rules, Rule("*", {"b": "3"})) == [Rule("*", {"a": "1", "b": "3"})]
    assert with_rule(rules, Rule("*.h5", {"b": "3"})) == [*rules, Rule("*.h5", {"b": "3"})]


@pytest.mark.parametrize("line", ["*.h5", "*.h5 cb_nodes", "*.h5 =4", "*.h5 a=b:c"])
def test_a_line_that_is_none_is_named(line):
    with pytest.raises(UserError, match="line 2 of the hints"):
        parse_rules(f"\n{line}\n")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(group, ["tune", "--hints", *words])


def test_the_command_writes_both_files_and_says_the_variables(run, tmp_path):
    assert run("romio_ds_write=disable").exit_code == 0
    shown = run("*.h5", "cb_nodes=4").output
    assert (
        tmp_path / "leadline.hints"
    ).read_text() == "* romio_ds_write=disable\n*.h5 cb_nodes=4\n"
    romio = tmp_path / "leadline.hints.romio"
    assert romio.read_text() == "romio_ds_write disable\ncb_nodes 4\n"
    assert f"export ROMIO_HINTS={romio}" in shown
    assert "export MPICH_MPIIO_HINTS='*:romio_ds_write=disable,*.h5:cb_nodes=4'" in shown
    assert "export LEADLINE_MPIIO_HINTS='*:romio_ds_write=disable,*.h5:cb_nodes=4'" in shown
    assert "export OMPI_MCA_io_ompio_num_aggregators=4" in shown
    assert run("--of", "a.txt").output == "romio_ds_write=disable\n"
    told = json.loads(run("--json").output)
    assert told["rules"][1] == {"pattern": "*.h5", "hints": {"cb_nodes": "4"}}
    assert told["variables"]["ROMIO_HINTS"] == str(romio)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "no hint is given"),
        (("*.h5",), "no hint is given"),
        (("*.h5", "cb_nodes"), "'cb_nodes' is not KEY=VALUE"),
        (("a b", "cb_nodes=4"), "pattern 'a b' has a blank"),
        (("cb_nodes=4", "--file", "no/such/folder"), "choose another folder"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, words, complaint):
    result = run(*words)
    assert isinstance(result.exception, UserError) and complaint in str(result.exception)
    assert list(tmp_path.iterdir()) == []
