"""What the watchers of a job are told: each node of its own ranks, the first one of all of them."""

import msgspec
import pytest
from recorded_calls import At, Recorded

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.stuck.nodes import judge_node

RECV = At(call="MPI_Recv", peer=1, tag=6, process="R")
SLEEPS = At(call="", process="S", syscall="202 0x7f0 0x109 0x2 0x0")
BARRIER = At(call="MPI_Barrier", bytes=0)
READS = At(call="", process="S", syscall="0 0x0 0x1")
OF_CHILD = {"child_writes": {1: "pipe:[7]"}, "fds": {0: "pipe:[7]"}}


@pytest.fixture
def node(tmp_path):
    """Return what gives a node with a rank, in the folder where the nodes meet."""

    def make(number, at):
        folder = tmp_path / str(number)
        folder.mkdir()
        return Recorded(folder, [at], size=2, node=number, first=number)

    return make


def judged(node, change=lambda: None):
    """Return what a node says; a change is made whenever it looks."""

    def sleep(seconds):
        change()
        node.write()
        node.now += seconds

    return judge_node(node.folder, Files(node.root), sleep, lambda: node.now)


@pytest.fixture
def met(tmp_path, node):
    """Give both nodes with folders side by side."""
    first, second = node(0, RECV), node(1, SLEEPS)
    for each in (first, second):
        there = tmp_path / "stands" / str(each.node)
        there.parent.mkdir(exist_ok=True)
        each.folder.rename(there)
        each.folder = there
    return first, second


@pytest.mark.parametrize(("at", "verdict"), [
    (SLEEPS, "sleeps"),
    (msgspec.structs.replace(SLEEPS, state=5, process="Z"), "dead"),
    (READS, None),
    (msgspec.structs.replace(READS, for_s=61.0), "waits_for_input"),
    (At(call="", for_s=700.0), None),
    (At(call="", process="S", syscall="230 0x0", for_s=1.0), None),
    (At(call="", process="S", syscall="61 0x1", for_s=1.0, calls=3), None),
    (msgspec.structs.replace(READS, calls=3, **OF_CHILD), None),
], ids=["lock", "dead", "input", "no input", "computes", "sleeps", "child", "reads of a child",
])  # fmt: skip
def test_who_may_go_on_by_itself_is_not_told(at, verdict, tmp_path):
    found = judged(Recorded(tmp_path, [BARRIER, at]))
    assert (found and found.verdict) == verdict


def test_the_first_node_judges_with_what_the_others_tell(met, tmp_path):
    first, second = met
    assert judged(first) is None
    assert judged(second) is None
    assert [each.name for each in (tmp_path / "stands").glob("*.ranks")] == ["node-1-1.ranks"]
    found = judged(first)
    assert found.verdict == "sleeps" and found.missing == (1,)
    assert [rank.rank for rank in found.ranks] == [0, 1]


def test_a_node_that_goes_on_tells_nothing(met, tmp_path):
    first, second = met

    def goes_on():
        second.ranks[0] = At(call="MPI_Send", calls=second.ranks[0].calls + 1)

    assert judged(second, goes_on) is None
    assert list((tmp_path / "stands").glob("*.ranks")) == []
    assert judged(first) is None


def test_what_another_node_left_in_pieces_is_no_rank(met, tmp_path):
    first, second = met
    judged(second)
    (file,) = (tmp_path / "stands").glob("*.ranks")
    file.write_bytes(file.read_bytes()[:-9])
    assert judged(first) is None


def test_a_node_whose_ranks_have_ended_is_refused(met):
    first, _ = met
    first.ranks[0] = At(state=2)
    with pytest.raises(UserError):
        judged(first)
