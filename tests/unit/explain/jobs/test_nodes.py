"""Nodes that are late in several programs: found where they are, and not by what programs do."""

import random

import pytest

from leadline.explain.jobs.nodes import late_nodes
from leadline.model.job_report import CoreTime, JobSummary


def _jobs(seed, late, *, jobs=200, programs=6, nodes=24, size=4):
    """Return jobs on random nodes; `late` says which host is, by the program's number and hosts."""
    draw = random.Random(seed)
    found = []
    for number in range(jobs):
        hosts = tuple(f"n{each:02}" for each in sorted(draw.sample(range(nodes), size)))
        program = number % programs
        found.append(
            JobSummary(
                path=f"/j/{number}.job", user=f"u{program % 2}", job=str(number), step="",
                program=f"/p{program}", library="MPICH", began=float(number), wall_s=100.0,
                ranks=8, hosts=hosts, host_ranks=(2,) * size, state="ended",
                time=CoreTime(seconds=800.0, waiting_s=80.0), lost_to="waiting",
                late_node=late(draw, program, hosts), calls=10.0,
            )
        )  # fmt: skip
    return found


def _sometimes(draw, program, hosts):
    return draw.choice(hosts) if draw.random() < 0.2 else ""


def test_a_node_that_is_late_in_several_programs_is_found():
    def late(draw, program, hosts):
        return "n07" if "n07" in hosts and draw.random() < 0.8 else _sometimes(draw, program, hosts)

    (found,) = late_nodes(_jobs(1, late))
    assert found.node == "n07" and found.late > 10 and len(found.programs) > 3
    assert found.users == 2 and found.p_value < 0.01
    assert found.lost_s == pytest.approx(80.0 * found.late)


@pytest.mark.parametrize("seed", range(5))
def test_nodes_that_are_late_by_chance_are_not_found(seed):
    assert late_nodes(_jobs(seed, _sometimes)) == []


def test_a_node_that_is_late_in_one_program_is_not_found():
    def late(draw, program, hosts):
        return "n07" if "n07" in hosts and program == 2 else ""

    assert late_nodes(_jobs(2, late)) == []


def test_programs_whose_first_node_is_late_accuse_no_node():
    """The first node of sorted hosts is mostly one of few."""
    assert late_nodes(_jobs(3, lambda draw, program, hosts: hosts[0] if program < 3 else "")) == []


def test_two_programs_always_on_the_same_nodes_accuse_none_of_them():
    def late(draw, program, hosts):
        return hosts[2] if program < 2 else ""

    assert late_nodes(_jobs(4, late, nodes=4)) == []


def test_one_node_alone_is_never_late():
    assert late_nodes(_jobs(5, lambda draw, program, hosts: hosts[0], size=1)) == []
