"""A second job beside a launch: the command that starts it, and what it may do wrong."""

import json
import sys

import pytest

from leadline.core.errors import UserError
from leadline.measure.launch.neighbour_job import NeighbourJob
from leadline.model.interference import Congestion


def line(state, message=""):
    return json.dumps(
        {"kind": "flood", "mpi": "one", "place": "2x1", "state": state, "message": message}
    )


# Says that it runs, and at SIGTERM that it was interrupted.
OBEDIENT = f"""
import signal, sys, time
def end(*_):
    print({line("interrupted")!r}, flush=True)
    sys.exit()
signal.signal(signal.SIGTERM, end)
print({line("running")!r}, flush=True)
time.sleep(60)
"""


def test_it_runs_while_the_block_does_and_tells_what_it_did():
    with NeighbourJob([sys.executable, "-c", OBEDIENT]) as second:
        assert second.did is None
    assert second.did == Congestion(kind="flood", mpi="one", place="2x1", state="interrupted")


def test_one_that_ends_early_says_so():
    # In one piece: it may be asked to end after its first line.
    lines = f"{line('running')}\n{line('failed', 'a link broke')}"
    text = f"print({lines!r})"
    with NeighbourJob([sys.executable, "-c", text]) as second:
        pass
    assert second.did is not None
    assert (second.did.state, second.did.message) == ("failed", "a link broke")


def test_one_that_does_not_begin_is_one_line():
    text = "import sys; sys.exit('leadline: no congestor of that name')"
    with (
        pytest.raises(UserError, match=r"^the job beside did not begin: no congestor of that name"),
        NeighbourJob([sys.executable, "-c", text]),
    ):
        raise AssertionError("the block has begun")
