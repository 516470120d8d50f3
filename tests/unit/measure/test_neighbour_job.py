"""A second job beside a launch: the command that starts it, and what it may do wrong."""

import pytest
from jobs import made_launch

from leadline.core.errors import UserError
from leadline.measure.launch.neighbour_job import check_neighbour_job, neighbour_job_command
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan

THERE = ["flood"]


def plan(**changes):
    usual = {"placements": (Placement(2, 3),), "hosts": ("a", "b")}
    return Plan(entries=(Entry(benchmarks=("mpi/pair",)),), **(usual | changes))


def launch(place="2x3"):
    return made_launch(place, knobs={"beside": "flood"})


def test_the_second_job_is_a_congestor_on_its_own_hosts():
    words = neighbour_job_command(plan(background_hosts=("c", "d"), remote_shell="rsh"), launch())
    assert words[2:5] == ["leadline", "congest", "flood"]
    options = dict(zip(words[5::2], words[6::2], strict=False))
    assert options["--place"] == "2x3"
    told = " ".join(words)
    assert "--mpi one" in told and "--hosts c,d" in told and "--remote-shell rsh" in told


def test_without_hosts_it_is_on_this_machine():
    words = neighbour_job_command(plan(hosts=(), placements=(Placement(1, 1),)), launch("1x1"))
    assert words[words.index("--place") + 1] == "1x2"
    assert "--hosts" not in words


@pytest.mark.parametrize(
    ("asked", "kinds", "told"),
    [
        (plan(), ("default", "drip"), r"^beside drip: there is flood$"),
        (plan(batch="slurm"), ("flood",), r"^beside flood: a batch job has its nodes for itself"),
        (plan(background_hosts=("c",)), (), r"^--background-hosts goes with --background KIND"),
        (plan(background_hosts=("b", "c")), ("flood",), r"b is a host of the first job too"),
    ],
)
def test_what_cannot_be_beside_is_one_line(asked, kinds, told):
    with pytest.raises(UserError, match=told):
        check_neighbour_job(asked, kinds, THERE)


def test_what_can_be_beside_is_silent():
    check_neighbour_job(plan(), (), THERE)
    check_neighbour_job(plan(background_hosts=("c", "d")), ("default", "flood"), THERE)
