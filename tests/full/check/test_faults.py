"""Faults of launches, provoked for real: each is named, and its fix cures it."""

import pytest
from injected.checked import Launch, by_kind
from injected.fault_table import FAULTS, CannotProvoke, bound, free, prove

pytestmark = pytest.mark.mpi


def test_nothing_is_wrong_with_a_healthy_launch(start):
    checked = start.check(Launch(start.command()))
    assert by_kind(checked) == {}
    assert [each["rank"] for each in checked["ranks"]] == [0, 1]
    assert all(each["cores"] and each["threads"] and each["library"] for each in checked["ranks"])
    assert checked["transports"][0]["ways"][0].startswith("shared memory")


@pytest.mark.parametrize("binding", [bound, free])
def test_no_alarm_is_false(start, binding):
    """Neither of one rank and two threads, which may move, nor of two ranks."""
    for ranks in (1, 2) if binding is free else (2,):
        threads = {"OMP_NUM_THREADS": str(3 - ranks)}
        launch = Launch(start.command(*binding(start), processes=ranks), variables=threads)
        assert start.faults(launch) == {}, (start.label, ranks)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_named_and_its_fix_cures_it(programs, fault, tmp_path):
    """Each under one of the MPIs that have it, which take turns."""
    turn = FAULTS.index(fault)
    reason = "no MPI here"
    for at in range(len(programs)):
        start = list(programs.values())[(turn + at) % len(programs)]
        try:
            return prove(fault, start, programs, tmp_path)
        except CannotProvoke as why:
            reason = str(why)
    pytest.skip(reason)
