"""What is known of a call by its function."""

import re

import pytest
from checkout import CHECKOUT

from leadline.stuck.job import SET_UP, Call

_LISTS = CHECKOUT / "runtime/explain/functions"
_LINES = {api: (_LISTS / api / "set_up.def").read_text() for api in ("mpi", "shmem")}
# How the observer takes calls that set something up, by function; an abort needs nobody else.
HANDLERS = {
    f"{'MPI_' if api == 'mpi' else ''}{name}": handler
    for api, lines in _LINES.items()
    for handler, name in re.findall(
        r"^(?!aborted)(\w+) (\w+)\([\d, ]+\) \.kind = kSetUp\b", lines, re.M
    )
}


@pytest.mark.parametrize("function", HANDLERS)
def test_what_the_observer_takes_for_a_rank_alone_is_no_collective(function):
    call = Call(function=function, kind=SET_UP)
    assert call.is_collective == (HANDLERS[function] != "plain")
