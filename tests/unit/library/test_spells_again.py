"""Points that met the machine in a slow state are launched again, within half of the time."""

import os
import signal
import threading

import msgspec
import pytest
import run_parts
from example_run import example_run

from leadline.analysis.results.states import all_readings
from leadline.core.processes import stop_requests
from leadline.library.until_sure import Budget, SixIfCheap, SpellsAgain, slow_figures
from leadline.model.run import MachineReading, PointResult, RankPlace


class Told:
    def __init__(self):
        self.lines = []

    def doing(self, text):
        self.lines.append(text)


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


def spells(told, now=None, pause=id, **options):
    return SpellsAgain(told, make_budget=lambda s: Budget(s, now or Clock(), pause), **options)


def launch(number, *slowness, wall_s=3.0):
    """A launch of ten seconds with as many points as there are readings, less one."""
    points = range(len(slowness) - 1)
    return run_parts.launch(
        number,
        started="2026-01-01T00:00:00+00:00", ended="2026-01-01T00:00:10+00:00",
        points=tuple(
            PointResult(point=point, verified=True, wall_s=wall_s)
            for point in points
        ),
        ranks=(RankPlace(rank=0, host="here", node=0, cpus="0", cpu=0, pid=1),),
        readings=tuple(
            MachineReading(points=at, round_trip_s=1e-7 * slow) for at, slow in enumerate(slowness)
        ),
    )  # fmt: skip


def run_of(*launches):
    run = example_run()
    run.launches = list(launches)
    run.plan = msgspec.structs.replace(run.plan, launches=len(launches))
    return run


def test_a_figure_of_a_slow_state_is_known_by_its_yardsticks():
    quiet = [launch(n, 1.0, 1.01, 1.0) for n in range(3)]
    assert slow_figures(run_of(*quiet)).points == frozenset()
    # The second point met the slow state in each launch, the first in none.
    half = [launch(n, 1.0, 1.01, 3.0, 3.03) for n in range(3)]
    points, factor, lasts = slow_figures(run_of(*half))
    assert points == {2} and factor == pytest.approx(3.0, rel=0.05) and lasts
    # One launch of three met the fast state: the figure is of that.
    third = [launch(0, 1.0, 1.01, 1.0), launch(1, 3.0, 3.01, 3.0), launch(2, 3.0, 3.02, 3.0)]
    assert slow_figures(run_of(*third)).points == frozenset()


def test_a_run_that_was_slow_throughout_is_known_by_the_runs_before():
    before = [all_readings(launch(n, 1.0, 1.01, 1.0)) for n in range(4)]
    slow = run_of(*[launch(n, 3.0, 3.01, 3.0) for n in range(3)])
    assert slow_figures(slow).points == frozenset()
    points, factor, lasts = slow_figures(slow, before)
    assert points == {0, 1} and factor == pytest.approx(3.0, rel=0.05) and lasts
    # One launch that was faster than usual does not make all others slow.
    rare = [*[all_readings(launch(n, 3.0, 3.01, 3.0)) for n in range(9)], before[0]]
    assert slow_figures(slow, rare).points == frozenset()


def test_while_a_spell_lasts_the_quickest_point_alone_is_launched():
    before = [all_readings(launch(n, 1.0, 1.01, 1.0)) for n in range(4)]
    told = Told()
    waited = []
    more = spells(told, pause=waited.append, before=before)
    run = run_of(*[launch(n, 3.0, 3.01, 3.0) for n in range(3)])
    run.launches[0] = msgspec.structs.replace(run.launches[0], points=(
        PointResult(point=0, verified=True, wall_s=3.0),
        PointResult(point=1, verified=True, wall_s=1.0)))  # fmt: skip
    assert more(run, None) == ({1}, 1)
    assert told.lines[-1].endswith("waiting at most 15 s to repeat 2 of 94 points")
    assert more(run, None) == ({1}, 1)
    assert waited == [0.5, 1.0]
    run.launches.append(msgspec.structs.replace(launch(3, 1.0, 1.0), points=(
        PointResult(point=1, verified=True, wall_s=1.0),)))  # fmt: skip
    assert more(run, None) == ({0, 1}, 1)
    assert told.lines[-1].endswith("measured again")


def test_it_asks_until_figures_are_of_the_fast_state():
    told = Told()
    more = spells(told)
    run = run_of(*[launch(n, 1.0, 1.01, 3.0, 3.03) for n in range(3)])
    assert more(run, None) == ({2}, 1)
    assert told.lines == ["machine 3.0x slower than before: 1 of 94 points measured again"]
    run.launches.append(msgspec.structs.replace(launch(3, 1.0, 1.0), points=(
        PointResult(point=2, verified=True, wall_s=3.0),)))  # fmt: skip
    assert more(run, None) == ({2}, 1)
    run.launches.append(msgspec.structs.replace(run.launches[-1], launch=4))
    assert more(run, None) is None


def test_it_takes_half_of_the_plans_time_and_no_more_launches_than_planned():
    """Of three launches of 10 s: a launch of one point of 3 s takes 4; 12 s later none fits."""
    slow = run_of(*[launch(n, 1.0, 1.01, 3.0, 3.03) for n in range(3)])
    clock = Clock()
    more = spells(Told(), clock)
    assert [more(slow, None) is None for _ in range(5)] == [False] * 3 + [True] * 2
    more = spells(Told(), clock)
    assert more(slow, None) is not None
    clock.seconds = 12.0
    assert more(slow, None) is None
    assert spells(Told(), clock, time_limit_s=34.0)(slow, None) is None
    assert spells(Told(), clock, time_limit_s=60.0)(slow, None) is not None


def test_a_launch_that_takes_longer_than_that_is_not_made():
    slow = run_of(launch(0, 1.0, 1.01, 3.0, 3.03, wall_s=0.1))
    assert spells(Told())(slow, None) is None


def test_a_budget_takes_the_place_of_half_of_the_plans_time():
    before = [all_readings(launch(n, 1.0, 1.01, 1.0)) for n in range(4)]
    slow = run_of(*[launch(n, 3.0, 3.01, 3.0) for n in range(3)])
    clock = Clock()
    more = spells(Told(), clock, id, before=before, budget_s=100.0)
    assert more(slow, None)
    clock.seconds = 90.0
    assert more(slow, None)
    clock.seconds = 99.0
    assert more(slow, None) is None


def test_a_pause_ends_when_somebody_asks_leadline_to_stop():
    budget = Budget(1e9)
    budget.pause_s = 1e6
    with stop_requests() as requests:
        asks = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        asks.start()
        assert budget.wait(example_run(), [], list)
        asks.join()
        assert list(requests) == [signal.SIGINT]
    assert budget.pause_s == 30.0


def test_cheap_launches_become_six_once_and_dear_ones_stay():
    def then(run, folder):
        return ({7}, 1)

    dear = run_of(*[launch(n, 1.0, 1.0) for n in range(3)])
    assert SixIfCheap(then)(dear, None) == ({7}, 1)
    cheap = run_of(*[
        msgspec.structs.replace(each, ended="2026-01-01T00:00:00.300+00:00")
        for each in dear.launches
    ])  # fmt: skip
    more = SixIfCheap(then)
    assert more(cheap, None) == ({point.index for point in cheap.points}, 3)
    assert more(cheap, None) == ({7}, 1)
