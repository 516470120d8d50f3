"""What people and programs are told."""

import msgspec
import pytest
from observed import HEALTHY, changed, observed

from leadline.check.observation import Connection, Library
from leadline.check.report import report, transports
from leadline.output.terminal.launch_check import lines

RECORDED = [*HEALTHY, "one-core", "wrong-launcher", "tcp", "crowded"]


@pytest.mark.parametrize("name", RECORDED)
def test_lines_fit_a_screen_but_for_commands(name):
    checked = report(observed(name))
    fixes = {f"    {fault.fix}" for fault in checked.findings}
    said = list(lines(checked))
    assert all(len(line) <= 80 for line in said if line not in fixes)
    assert fixes <= set(said)


def test_the_answer_is_first():
    first = next(lines(report(observed("healthy-openmpi4"))))
    assert first.startswith(
        "=== leadline check: nothing wrong: 2 ranks on node, started by Open MPI's"
    )
    assert next(lines(report(observed("one-core")))).startswith("=== leadline check: 1 fault: ")


def test_nothing_seen_is_said():
    nothing = report(msgspec.structs.replace(observed("healthy-mpich4"), ranks=(), size=0))
    assert list(lines(nothing)) == [
        "=== leadline check: no answer: no rank was seen: the command ended first, or is",
        "no MPI program.",
    ]
    (without,) = lines(nothing, "./nope")
    assert without == "=== leadline check: no answer: ./nope is not there."
    failed = msgspec.structs.replace(nothing, status=1)
    assert "nothing wrong" not in next(lines(failed))


def test_what_was_not_judged_is_not_called_good():
    seen = report(observed("healthy-mpich4"))
    part = msgspec.structs.replace(seen, not_judged=("find_x: ValueError",))
    assert "nothing wrong in what could be judged: 2 ranks" in next(lines(part))


def test_json_has_the_keys_that_are_promised():
    said = msgspec.to_builtins(report(observed("one-core")))
    assert {"kind", "ranks", "text", "fix"} <= set(said["findings"][0])
    assert {"rank", "host", "cores", "threads"} <= set(said["ranks"][0])
    assert said["ranks"][0]["cores"] == (0,)


def test_ranks_elsewhere_are_told_and_not_judged():
    seen = changed(observed("healthy-mpich4"), size=6)
    assert "4 ranks on other hosts: not looked at." in list(lines(report(seen)))


def test_ways_are_those_of_each_distance():
    seen = observed("tcp")
    assert transports(seen)[0].ways[-1].startswith("TCP (")
    moved = Connection(rank=0, address="10.0.0.2", moved_bytes=3 << 20)
    psm = Library(path="/usr/lib/libfabric/libpsm3-fi.so", file="1:1")
    far = changed(seen, size=4, connections=(moved,),
                  ranks={"devices": ("/dev/infiniband/uverbs0",), "libraries": (psm,)})  # fmt: skip
    assert transports(far)[-1].ways == (
        "verbs (InfiniBand, RoCE)", "libfabric has loaded psm3", "TCP (3.0 MiB in the look)",
    )  # fmt: skip
