import os

import pytest
from jobs import made_job as job

from leadline.core.errors import UserError
from leadline.measure.launch.slots import available_cores, check_slots, exceeds_cores


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (job("1x3"), "1x3 wants 3 processes on 2 cores: add --oversubscribe to measure anyway; ev"),
        (job("3x5"), "3x5 wants 3 nodes and this machine is one node.*--hosts.*1x15"),
        (job("2x1"), "2x1 wants 2 nodes and this machine is one node.*--hosts"),
        (job("2x1", oversubscribe=True), "this machine is one node"),
        (job("3x1", hosts=("a", "b")), r"wants 3 nodes and --hosts names 2 \(a, b\)"),
        (job("2x1", hosts=("a", "a")), "'a' is named twice"),
        (job("1x2", hosts=("-oProxyCommand=x",)), "'-oProxyCommand=x' is not a name"),
        (job("2x1", hosts=("a:4", "b")), "'a:4' is not a name"),
        (job("2x2", hosts=("a", "b"), cores=(2, 1)), "processes on a node, and host b has 1 core:"),
    ],
)
def test_no_place_is_one_line(given, words):
    with pytest.raises(UserError, match=words) as caught:
        check_slots(given, cores=2)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        job("1x2"),
        job("1x8", oversubscribe=True),
        job("2x8", hosts=("a", "b", "c")),
        job("4x8", api="fake"),
        job("1x2", hosts=("a", "b"), cores=(2, 1)),
        job("2x2", hosts=("a", "b"), cores=(2, 1), oversubscribe=True),
        job("4x2", hosts=tuple("abcd"), cores=(2, 2, 2, 2), shared_cores=2),
    ],
)
def test_a_job_that_fits_passes(given):
    check_slots(given, cores=2)


def test_exceeding_is_about_this_machines_cores():
    assert exceeds_cores(job("1x3"), 2)
    assert not exceeds_cores(job("1x2"), 2)
    assert not exceeds_cores(job("2x8", hosts=("a", "b")), 2)
    assert not exceeds_cores(job("1x8", api="fake"), 2)


def test_exceeding_on_hosts_is_about_their_cores():
    hosts = ("a", "b")
    assert exceeds_cores(job("2x2", hosts=hosts, cores=(2, 1)), 16)
    assert not exceeds_cores(job("1x2", hosts=hosts, cores=(2, 1)), 1)
    assert exceeds_cores(job("2x2", hosts=hosts, cores=(2, 2), shared_cores=3), 16)
    assert not exceeds_cores(job("2x2", hosts=hosts, cores=(2, 2), shared_cores=4), 1)


def test_cores_follow_the_affinity_mask():
    allowed = os.sched_getaffinity(0)
    assert 1 <= available_cores() <= len(allowed)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert available_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
