"""What is made of the list that a probe prints, without a probe."""

import json

import msgspec
import pytest
from tests.unit.measure.knobs.test_known import INTEL, MPICH5, OPENMPI4, OTHER

from leadline.core.errors import UserError
from leadline.measure.knobs.listing import (
    clean_environment,
    known_variables,
    listed,
    search,
    strays,
    variables,
)
from leadline.model.software import Setting
from leadline.output.terminal.settings import settings_text


def printed(*controls, counters=()):
    full = {
        "type": "int", "scope": "all", "verbosity": "user basic", "choices": [],
        "categories": ["GROUP"], "description": "",
    }  # fmt: skip
    return json.dumps(
        {"controls": [{**full, **each} for each in controls], "counters": list(counters)}
    ).encode()


def test_what_the_environment_changed_is_known_with_its_variable():
    now = printed({"name": "MPIR_CVAR_LIMIT", "value": "7"}, {"name": "MPIR_CVAR_X", "value": "1"})
    clean = printed(
        {"name": "MPIR_CVAR_LIMIT", "value": "3"}, {"name": "MPIR_CVAR_X", "value": "1"}
    )
    limit, other = listed(now, [clean], MPICH5, {"MPICH_LIMIT": "7"})
    assert (limit.value, limit.default, limit.source) == ("7", "3", "environment MPICH_LIMIT")
    assert limit.changed and not other.changed and other.source == ""
    assert limit.variable == "MPIR_CVAR_LIMIT" and limit.categories == ("GROUP",)


def test_what_a_file_changed_is_known_with_the_file(tmp_path):
    file = tmp_path / "mca-params.conf"
    file.write_text("# pml = cm\npml = ^ucx   # not here\n")
    files = {"name": "mca_base_param_files", "value": f"/no/such,{file}"}
    now = printed(files, {"name": "pml", "value": "^ucx"})
    clean = printed({**files, "value": "/dev/null"}, {"name": "pml", "value": ""})
    read, pml = listed(now, [clean], OPENMPI4, {})
    assert pml.source == f"file {file}" and pml.variable == "OMPI_MCA_pml"
    assert not read.changed


def test_what_a_library_never_sets_has_no_default():
    one, other = (printed({"name": "noise", "value": value}) for value in ("32597", "21998"))
    (found,) = listed(one, [one, other], OPENMPI4, {})
    assert found.value == "32597" and found.default is None and not found.changed


def test_intels_own_name_is_taken_from_the_description():
    text = "Size of a cell.$ More. @Alias:# I_MPI_SHM_CELL @Verbosity:# expert @Default:# -1"
    now = printed({"name": "MPIR_CVAR_INTEL_CELL", "value": "-1", "description": text})
    (found,) = listed(now, [now], INTEL, {})
    assert found.variable == "I_MPI_SHM_CELL"
    assert found.description == "Size of a cell. More."


def test_counters_and_bytes_that_are_no_text():
    counter = {
        "name": "sent", "class": "counter", "type": "unsigned", "verbosity": "tuner all",
        "categories": [], "description": "X",
    }  # fmt: skip
    text = printed(counters=(counter,)).replace(b"X", b"Intel\xae")
    (found,) = listed(text, [text], INTEL, {})
    assert (found.kind, found.type, found.value) == ("counter", "counter, unsigned", None)
    assert not found.changed


@pytest.mark.parametrize("text", [b"", b"Segmentation fault", b'{"controls": []}'])
def test_what_is_no_list_is_told(text):
    with pytest.raises(UserError, match="does not list its controls"):
        listed(text, [text], MPICH5, {})


def test_a_clean_environment_keeps_only_what_configures_no_mpi():
    dirty = {
        "PATH": "/bin",
        "UCX_TLS": "tcp",
        "I_MPI_DEBUG": "5",
        "OMPI_MCA_pml": "cm",
        "HOME": "/",
    }
    kept = clean_environment(dirty)
    assert kept == {"PATH": "/bin", "HOME": "/", "OMPI_MCA_mca_base_param_files": "/dev/null"}


SETTINGS = [
    Setting(name="LIMIT", kind="control", description="Largest eager message", value="7",
            default="7", verbosity="user basic", categories=("P2P",)),
    Setting(name="POLLS", kind="control", description="How often to poll", value="1",
            default="2", verbosity="developer all", source="environment POLLS"),
    Setting(name="FI_X", kind="variable", description="Eager buffer", value="3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({}, ["LIMIT", "POLLS", "FI_X"]),
        ({"words": ("eager", "MESSAGE")}, ["LIMIT"]),
        ({"words": ("eager",)}, ["LIMIT", "FI_X"]),
        ({"category": "p2p"}, ["LIMIT"]),
        ({"verbosity": "tuner"}, ["LIMIT", "FI_X"]),
        ({"changed": True}, ["POLLS", "FI_X"]),
        ({"words": ("nothing",)}, []),
    ],
)
def test_search(wanted, names):
    assert [each.name for each in search(SETTINGS, **wanted)] == names


def test_documented_variables_are_those_of_family_and_network():
    names = {each.name: each for each in variables(INTEL, {"I_MPI_PIN": "0"})}
    assert "FI_PROVIDER" in names and "UCX_TLS" not in names and "HYDRA_IFACE" not in names
    assert names["I_MPI_PIN"].value == "0" and names["I_MPI_PIN"].changed
    assert names["I_MPI_DEBUG"].value is None and not names["I_MPI_DEBUG"].changed
    assert variables(OTHER, {}) == []


def test_data_of_variables_are_whole():
    for group, known in known_variables().items():
        assert known.families or known.networks, group
        assert len(known.variables) > 10
        assert all(each.description[:1].islower() for each in known.variables.values())


def test_few_are_shown_in_full_and_many_in_a_line_each():
    few = settings_text(SETTINGS, None).plain
    assert "POLLS = 1 (default 2)\n" in few and "from: environment POLLS" in few
    many = settings_text(SETTINGS * 10, 30).plain
    assert "from:" not in many and many.count("POLLS") == 10
    assert all(len(line) <= 30 for line in many.splitlines() if line.startswith("  "))


def test_control_characters_do_not_reach_the_terminal():
    evil = Setting(name="X", kind="control", description="a\x1b[2J", value="\x07")
    assert "\x1b" not in settings_text([evil], None).plain
    assert "\x07" not in settings_text([evil], None).plain


LINES = (
    "Select allreduce algorithm{0}auto - by size (FILE){0}nb - Force it{1}smp - Force smp algorithm"
)


@pytest.mark.parametrize("text", [LINES.format("\n", "\n"), LINES.format("", " (never)")])
def test_numbers_of_an_enumeration_have_the_names_of_the_description(text):
    now, clean = (
        printed({"name": "MPIR_CVAR_ALLREDUCE", "value": value, "description": text})
        for value in "20"
    )
    (found,) = listed(now, [clean], MPICH5, {"MPIR_CVAR_ALLREDUCE": "smp"})
    assert found.choices == ("auto", "nb", "smp")
    assert (found.value, found.default, found.changed) == ("smp", "auto", True)


@pytest.mark.parametrize(
    "text", ["MPIR - number of polls", "true - on\nfalse - off", "Bcast - a tree\nReduce - a tree"]
)
def test_other_dashes_of_a_description_name_no_numbers(text):
    now = printed({"name": "MPIR_CVAR_X", "value": "1", "description": text})
    (found,) = listed(now, [now], MPICH5, {})
    assert (found.value, found.choices) == ("1", ())


def control(name, variable):
    return Setting(name=name, kind="control", variable=variable, value="1", default="1")


def test_a_misspelt_variable_is_read_by_nothing_and_names_the_nearest():
    right = "OMPI_MCA_btl_vader_single_copy_mechanism"
    known = [control(right.removeprefix("OMPI_MCA_"), right)]
    wrong = "OMPI_MCA_btl_vader_singel_copy_mechanism"
    environment = {right: "cma", wrong: "none", "OMPI_MCA_ess_base_jobid": "1", "HOME": "/"}
    (found,) = strays(OPENMPI4, environment, known)
    assert (found.name, found.value, found.kind) == (wrong, "none", "stray")
    assert found.description.endswith(f"has no setting of this name: did you mean {right}?")
    assert found.changed and list(search([*known, found], changed=True)) == [found]
    assert "did you mean" in settings_text([found], 80).plain
    assert strays(MPICH5, environment, known) == []
    (far,) = strays(MPICH5, {"MPIR_CVAR_Q": "1"}, known)
    assert "did you mean" not in far.description


def test_what_intel_reads_stands_in_its_library(tmp_path):
    library = tmp_path / "libmpi.so.12"
    library.write_bytes(b"\0I_MPI_ADJUST_BCAST\0\xffI_MPI_PIN\0")
    made = msgspec.structs.replace(INTEL, library=str(library))
    environment = {"I_MPI_ADJUST_BCAST": "1", "I_MPI_ADJUST_BCATS": "1"}
    (found,) = strays(made, environment, [])
    assert found.name == "I_MPI_ADJUST_BCATS"
    assert found.description.endswith("did you mean I_MPI_ADJUST_BCAST?")
