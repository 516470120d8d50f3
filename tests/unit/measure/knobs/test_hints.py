"""Hints for MPI-IO: the pattern file, what is made of it, and the command."""

import json

import pytest
from click.testing import CliRunner
from tests.unit.measure.knobs.test_known import INTEL, MPICH5, OPENMPI5, OTHER

from leadline.cli import group
from leadline.core.errors import UserError
from leadline.measure.knobs.hints import (
    Rule,
    hints_of,
    io_hints,
    known_hints,
    merged,
    parse_rules,
    rules_text,
    with_rule,
)

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
        (("*.h5", "cb_nodes=abc"), "hint cb_nodes=abc: wanted is number"),
        (("*.h5", "romio_cb_read=on"), "wanted is enable, disable or automatic"),
        (("*.h5", "cb_nodse=4"), "no hint 'cb_nodse': did you mean cb_nodes?"),
        (("--remove",), "nothing is named"),
        (("--remove", "*.h5"), "no hint '*.h5' for '*': there is none"),
        (("a b", "cb_nodes=4"), "pattern 'a b' has a blank"),
        (("cb_nodes=4", "--file", "no/such/folder"), "choose another folder"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, words, complaint):
    result = run(*words)
    assert isinstance(result.exception, UserError) and complaint in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_hint_that_only_its_library_knows_is_written_with_a_word(run, tmp_path):
    said = run("panfs_layout_type=2").output
    assert "no MPI-IO known here reads the hint panfs_layout_type" in said
    assert (tmp_path / "leadline.hints").read_text() == "* panfs_layout_type=2\n"
    assert "no MPI-IO known here" not in run("cb_nodes=2").output


def test_hints_are_removed_by_key_and_by_pattern(run, tmp_path):
    run("cb_nodes=2")
    run("*.h5", "cb_nodes=4", "romio_ds_write=disable")
    file, romio = tmp_path / "leadline.hints", tmp_path / "leadline.hints.romio"
    run("--remove", "*.h5", "romio_ds_write")
    assert file.read_text() == "* cb_nodes=2\n*.h5 cb_nodes=4\n"
    assert romio.read_text() == "cb_nodes 4\n"
    wrong = run("--remove", "*.h5", "cb_nodse").exception
    assert "no hint 'cb_nodse' for '*.h5': did you mean cb_nodes?" in str(wrong)
    wrong = run("--remove", "*.h6").exception
    assert "no hint '*.h6' for '*': did you mean *.h5?" in str(wrong)
    run("--remove", "*.h5")
    assert file.read_text() == "* cb_nodes=2\n"
    told = run("--remove", "cb_nodes").output.split()
    assert told[0] == "unset" and {"ROMIO_HINTS", "OMPI_MCA_io_ompio_num_aggregators"} < {*told}
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_holds_that_was_misspelt_can_be_removed(run, tmp_path):
    file = tmp_path / "leadline.hints"
    file.write_text("* cb_nodse=2 cb_nodes=3\n")
    assert run("--remove", "cb_nodse").exit_code == 0
    assert file.read_text() == "* cb_nodes=3\n"


def test_each_library_has_the_hints_that_it_reads_and_those_that_mpi_reserves():
    romio, ompio, other = (
        {each.name: each for each in io_hints(made)} for made in (MPICH5, OPENMPI5, OTHER)
    )
    assert romio["cb_buffer_size"].default == "16777216"
    assert ompio["cb_nodes"].variable == "OMPI_MCA_io_ompio_num_aggregators"
    assert romio["cb_nodes"].lacking == ompio["cb_nodes"].lacking == ""
    assert romio["access_style"].lacking == "ROMIO does not read it"
    assert "OMPIO does not read it; ROMIO does" in ompio["romio_cb_write"].lacking
    groups = [ompio[name].categories for name in ("cb_nodes", "access_style", "romio_cb_write")]
    assert groups == [("ompio",), ("standard",), ("romio",)]
    assert other.keys() == known_hints()["standard"].keys()
    assert not any(each.lacking or each.changed for each in other.values())
    assert {each.name for each in io_hints(INTEL)} == romio.keys()


def test_hints_are_described():
    for reader, table in known_hints().items():
        assert len(table) > 4, reader
        assert all(each.description and each.values for each in table.values())
