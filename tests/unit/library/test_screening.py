"""What a screening asks the probe for, and how suspicions become suspects."""

import msgspec
import pytest
import run_parts as parts

from leadline.analysis.screen.figures import NODE_FIGURES, pair_figures
from leadline.analysis.screen.judge import Suspicion
from leadline.core.errors import UserError
from leadline.library.screening import (
    _can_leave_out,
    _check_enough,
    _merged,
    _on,
    _suspect,
    _without,
)
from leadline.library.screening_plan import (
    Screening,
    default_plan,
    differences,
    figure_of,
    kinds_of,
    of_pairs,
    plan_of,
    schedule_text,
)
from leadline.measure.run.preparation import Prepared, PreparedLaunch
from leadline.model.job import Job, Start
from leadline.model.placement import Placement
from leadline.model.run import RankFacts


def _suspicion(figure, probability, names=(1,), kind="node"):
    return Suspicion(kind, names, figure, 1.25, probability, {figure: 1.25}, 7, 40.0)


def test_the_schedule_is_a_line_a_round():
    assert schedule_text([((0, 3), (1, 2)), ((0, 1),)]) == "0-3 1-2\n0-1\n"


def test_every_figure_of_pairs_is_measured_in_every_round():
    wanted = Screening(plan=default_plan(["a", "b", "c", "d"], 0, 0.4))
    entries = plan_of(wanted, 7).entries
    rounds = [each.axes["round"] for each in entries if "round" in each.axes]
    assert rounds == ["0,1,2,3,4,5,6"] * len(pair_figures("256K"))
    assert len(entries) == len(rounds) + len(NODE_FIGURES)
    alone = Screening(plan=wanted.plan, is_node_only=True)
    assert {each.benchmarks[0].partition("/")[0] for each in plan_of(alone, 0).entries} == {"node"}


def test_points_are_known_by_their_axes():
    figures = pair_figures("256K")
    axes = {"bytes": 262144, "mode": "stream", "window": 2, "load": "one", "round": 3}
    point = parts.point(0, 4, 1, benchmark="mpi/rounds", axes=axes)
    found = figure_of(point, figures)
    assert found
    assert found.name == "bandwidth alone"


def test_nodes_that_are_left_are_named_as_they_were_asked_for():
    lab = Screening(plan=default_plan(["lab/x"], 0, 0.4))
    assert _on(lab, ["h0", "h1", "h2", "h4"]).plan.hosts == ("lab/x:h0", "h1", "h2", "h4")
    plain = Screening(plan=default_plan(["a", "b", "c", "d", "e"], 0, 0.4))
    left = _on(plain, ["a", "b", "d", "e"]).plan
    assert left.hosts == ("a", "b", "d", "e")
    assert left.placements == (Placement(4, 1),)
    without_first = _on(plain, ["b", "c", "d", "e"]).plan
    assert without_first.hosts == ("b", "c", "d", "e")


def test_too_few_nodes_are_one_line_with_those_that_do_not_answer():
    silent = {f"n{at}": f"no route to n{at}" for at in range(2, 7)}
    with pytest.raises(UserError) as refused:
        _check_enough(["n1"], silent)
    assert str(refused.value) == (
        "n2, n3, n4 and 2 more do not answer (no route to n2): screen needs 4 nodes that answer "
        "and has 1: name more with --hosts, or start it in a larger job"
    )
    with pytest.raises(UserError, match="answer and has 0:"):
        _check_enough(["n2", "n3"], silent)
    _check_enough(["n1", "n2", "n3", "n4"], {})


def test_a_job_of_slurm_leaves_out_what_hung_and_one_of_pbs_cannot():
    plan = msgspec.structs.replace(
        default_plan([], 8, 0.4), batch="slurm", batch_options=("--partition=short",)
    )
    wanted = Screening(plan=plan)
    left = _without(wanted, {"h5": "is stopped", "h2": "is stopped"}).plan
    assert left.batch_options == ("--partition=short", "--exclude=h2,h5")
    assert left.placements == (Placement(6, 1),)
    assert _without(wanted, {}) == wanted
    assert _can_leave_out(wanted, ["h1", "h2", "h3", "h4"])
    assert not _can_leave_out(wanted, ["h1", "h2", "h3", "h4", "h5"])
    pbs = Screening(plan=msgspec.structs.replace(plan, batch="pbs"))
    assert not _can_leave_out(pbs, ["h1"])


def test_of_nodes_that_share_cores_pairs_alone_are_measured():
    def point(index, benchmark, **axes):
        return parts.point(index, 4, 1, benchmark=benchmark, axes=axes)

    points = (point(0, "node/stream"), point(1, "mpi/rounds", round=0))
    job = Job(program=("./probe",), placement=Placement(4, 1))
    start = Start(argv=("mpiexec",), environment={})
    prepared = Prepared(
        Screening(plan=default_plan(["a", "b", "c", "d"], 0, 0.4)).plan,
        [],
        list(points),
        [
            PreparedLaunch(
                mpi="mpich", knobs={}, points=points, job=job, start=start, oversubscribed=True
            )
        ],
        1,
    )
    kept = of_pairs(prepared)
    assert kept.points == [points[1]]
    assert kept.launches[0].points == (points[1],)


def test_what_a_node_shows_twice_is_one_line():
    names, before = ("a", "b", "c"), {("node", "b")}
    own = _suspect(_suspicion("memory", 0.9), names, before)
    pairs = _suspect(_suspicion("bandwidth", 0.8), names, before)
    (one,) = _merged([own, pairs])
    assert (one.name, one.figure, one.is_new) == ("b", "memory", False)
    assert one.probability == 0.98
    assert one.ratios == {"memory": 1.25, "bandwidth": 1.25}
    assert one.looks == 14
    link = _suspect(_suspicion("bandwidth", 0.8, (0, 2), "link"), names, before)
    assert (link.name, link.is_new) == ("a - c", True)


def test_what_was_measured_again_is_told_apart():
    by_round = {turn: {"bandwidth": 1.2 + turn / 100} for turn in range(7)}
    found = _suspicion("bandwidth", 0.9)._replace(by_round=by_round)
    suspect = _suspect(found, ("a", "b"), None, 5)
    assert suspect.again_ratios == {"bandwidth": 1.255}
    assert suspect.again_rounds == 2
    own = _suspect(_suspicion("memory", 0.8), ("a", "b"), None)
    assert (own.again_ratios, own.again_rounds) == ({}, 0)
    (one,) = _merged([own, suspect])
    assert (one.again_ratios, one.again_rounds) == ({"bandwidth": 1.255}, 2)


def test_what_differs_is_found_by_what_the_ranks_sent():
    governor = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    facts = [
        RankFacts(
            rank=rank,
            wall_s=1.7e9 + (3.0 if rank == 4 else 0.0),
            files={
                "/sys/devices/system/cpu/online": {"0-1": ""},
                governor: {"powersave" if rank == 1 else "performance": "0 1"},
            },
        )
        for rank in range(6)
    ]
    run = parts.run(launches=[parts.launch(0, 6, 1, facts=tuple(facts))])
    found = {(each.node, each.check): each for each in differences(run, tuple("abcdef"))}
    assert set(found) == {("b", "frequency-governor"), ("e", "time-of-day")}
    assert found["b", "frequency-governor"].observed == "powersave on 2 processors"
    assert found["e", "time-of-day"].observed == "3.00 s ahead"
    assert not differences(run, tuple("abcdef"))[0].usual.startswith("powersave")
    assert list(kinds_of(run, tuple("abcdef")).values()) == [tuple("abcdef")]


def test_settings_are_compared_within_a_kind():
    governor = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"

    def facts(rank, model, setting):
        files = {
            "/sys/devices/system/cpu/online": {"0-1": ""},
            "/sys/devices/system/cpu/present": {"0-1": ""},
            "/proc/cpuinfo": {f"model name\t: {model}": ""},
            governor: {setting: "0 1"},
        }
        return RankFacts(rank=rank, wall_s=0.0, files=files)

    every = [facts(rank, "Xeon", "performance") for rank in range(6)]
    every += [facts(rank, "EPYC", "powersave") for rank in range(6, 10)]
    every[8] = facts(8, "EPYC", "performance")
    run = parts.run(launches=[parts.launch(0, 10, 1, facts=tuple(every))])
    names = tuple("abcdefghij")
    assert list(kinds_of(run, names)) == ["Xeon, 2 processors", "EPYC, 2 processors"]
    assert [(each.node, each.usual) for each in differences(run, names)] == [
        ("i", "powersave on 2 processors")
    ]
