"""Knobs with real libraries: what they list, whether they take what is set, what a file is told."""

import json

import pytest
from real_ranks import REAL_RANKS

pytestmark = REAL_RANKS
BRIEF = ("--seconds", "0.05", "--maximum", "200", "--launches", "1")
# A control variable that each family has, with the variable that sets it.
POLLING = {
    "mpich": ("MPIR_CVAR_POLLS_BEFORE_YIELD", "MPIR_CVAR_POLLS_BEFORE_YIELD", "77"),
    "openmpi": ("mpi_yield_when_idle", "OMPI_MCA_mpi_yield_when_idle", "true"),
}


def knobs(leadline, installation, *words, **environment):
    result = leadline(
        "mpi", "knobs", "--mpi", installation["name"], *words, "--json", **environment
    )
    assert result.returncode == 0, result.stderr
    return {each["name"]: each for each in json.loads(result.stdout)["knobs"]}


def test_the_library_lists_hundreds_and_says_what_the_environment_changed(leadline, installation):
    name, variable, value = POLLING[installation["family"]]
    listed = knobs(leadline, installation)
    controls = [each for each in listed.values() if each["kind"] == "control"]
    assert len(controls) > 300
    assert sum(each["value"] is not None for each in controls) > 0.9 * len(controls)
    assert listed["shm_eager_limit"]["sets"]
    assert listed[name]["value"] == listed[name]["default"] != value
    changed = knobs(leadline, installation, "--changed", **{variable: value})
    assert changed[name]["value"] == value
    assert changed[name]["default"] == listed[name]["default"]
    assert changed[name]["source"] == f"environment {variable}"
    # A machine may have files of its own, but not many settings in them.
    assert len(changed) < 20


# A control variable whose numbers have names, with the number of one of them.
ENUMERATION = {
    "mpich": ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "", "recursive_doubling"),
    "openmpi": ("btl_self_flags", "OMPI_MCA_", "send,inplace"),
}


def test_numbers_are_shown_by_their_names(leadline, installation):
    name, before, value = ENUMERATION[installation["family"]]
    changed = knobs(leadline, installation, "--changed", **{before + name: value})
    assert changed[name]["value"] == value
    assert {*value.split(",")} < {*changed[name]["choices"]}


def test_a_misspelt_variable_is_among_what_changed(leadline, installation):
    _, variable, _ = POLLING[installation["family"]]
    wrong = f"{variable}s"
    found = knobs(leadline, installation, "--changed", **{wrong: "1"})[wrong]
    assert found["kind"] == "stray" and f"did you mean {variable}?" in found["description"]


def test_the_list_is_text_for_people(leadline, installation):
    shown = leadline("mpi", "knobs", "eager_limit", "--mpi", installation["name"])
    assert shown.returncode == 0
    assert "  shm_eager_limit" in shown.stdout
    assert f"settings of {installation['name']}" in shown.stdout
    nothing = leadline("mpi", "knobs", "no such words", "--mpi", installation["name"]).stdout
    assert nothing.startswith("none of the ") and nothing.endswith(" matches\n")


def test_a_library_takes_what_a_knob_sets_and_says_so(leadline, installation):
    words = ("mpi/pingpong", "--mpi", installation["name"], "--bytes", "8", *BRIEF)
    knob = ("--knob", "shm_eager_limit=default,16K", "--knob", "single_copy=off")
    answer = leadline.measure(*words, *knob)
    assert {point["knobs"]["shm_eager_limit"] for point in answer["points"]} == {"default", "16K"}
    assert "knob_not_taken" not in {finding["kind"] for finding in answer["findings"]}
    for launch in leadline.stored()["launches"]:
        assert set(launch["controls"]) == set(launch["asked_controls"])
        assert launch["controls"] or installation["built"].get("device") == "ch4:ucx"


def test_hints_from_outside_reach_the_file(leadline):
    """ROMIO takes the stripe for what it is told, whatever the file system makes of it."""
    there = leadline.json("mpi")["installations"]
    name = next((each["name"] for each in there if each["name"].startswith("mpich-5")), None)
    if name is None:
        pytest.skip("no MPICH 5 here: `leadline mpi install mpich`")
    knob = ("--knob", "mpiio_hints=default,striping_unit=65536+striping_factor=3")
    answer = leadline.measure("mpi/file_write", "--mpi", name, "--bytes", "64K", *knob, *BRIEF)
    stripes = {
        point["knobs"]["mpiio_hints"]: point["metrics"].get("striping_unit_bytes")
        for point in answer["points"]
    }
    assert stripes["default"] != 65536
    assert stripes["striping_unit=65536+striping_factor=3"] == 65536
