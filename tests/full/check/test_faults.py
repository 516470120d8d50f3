"""Faults of launches, provoked for real: each is named, and its fix cures it."""

import pytest
from injected.checked import Launch, by_kind
from injected.fault_table import FAULTS, outcome
from injected.healthy import launches

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(600)]


def test_nothing_is_wrong_with_a_healthy_launch(start):
    checked = start.check(Launch(start.command()))
    assert by_kind(checked) == {}
    assert [each["rank"] for each in checked["ranks"]] == [0, 1]
    assert all(each["cores"] and each["threads"] and each["library"] for each in checked["ranks"])
    assert checked["transports"][0]["ways"][0].startswith("shared memory")


def test_no_alarm_is_false(programs):
    """Bindings, threads and numbers of ranks, each under one of the MPIs, which take turns."""
    turns = launches(programs)[: 4 * len(programs) : 2]
    assert turns or not programs
    for each in turns:
        assert each.alarms(tuple(programs[each.mpi].faults(each.launch))) == (), each.name


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_named_and_its_fix_cures_it(programs, fault, tmp_path):
    """Each under one of the MPIs that have it, which take turns."""
    turn = FAULTS.index(fault)
    for at in range(len(programs)):
        start = list(programs.values())[(turn + at) % len(programs)]
        found = outcome(fault, start, programs, tmp_path)
        if not found.skipped:
            break
    else:
        pytest.skip(found.skipped if programs else "no MPI here")
    assert found.is_named, found
    assert found.is_cured, found
