"""Night after night: what is an alarm, what is measured again, and what becomes the past."""

import math

import numpy as np
import pytest
from launched import figure

from leadline.analysis.compare.confirming import (
    WITNESSES,
    Fresh,
    Yardsticks,
    choose,
    fresh_of,
    met_spell,
    nights_of,
    spell_free,
    wanted,
)
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.nights import Follower, Night
from leadline.analysis.stats.alarms import LOOKS, Suspect, look
from leadline.analysis.stats.nightly import Level, Usual, level_of
from leadline.model.summary import LaunchReadings

FIGURES = 12
STEP = math.log(1.25)


class Machine:
    """Draws nights of figures that scatter by 2 % from launch to launch and 1 % between nights."""

    def __init__(self, seed=1):
        self.random = np.random.default_rng(seed)
        self.number = 0

    def night(self, higher=None, everything=0.0, fresh=None, launches=3):
        own = self.random.normal(0, 0.01, FIGURES)
        higher = higher or {}
        rows = {
            key: own[key]
            + everything
            + higher.get(key, 0.0)
            + self.random.normal(0, 0.02, launches)
            for key in range(FIGURES)
        }
        self.number += 1
        return Night(f"night-{self.number}", rows, dict.fromkeys(rows, "all"), fresh)

    def fresh(self, level, launches=8):
        return level + self.random.normal(0, 0.02, launches)


@pytest.fixture
def machine():
    return Machine()


def after(machine, nights, **options):
    follower = Follower(at_once=options.pop("at_once", False))
    for _ in range(nights):
        follower.add(machine.night())
    return follower


def test_three_nights_are_learnt_from(machine):
    follower = Follower(at_once=True)
    verdicts = [follower.add(machine.night()) for _ in range(4)]
    assert {told.said for told in verdicts[2].figures.values()} == {"learning"}
    assert {told.said for told in verdicts[3].figures.values()} == {"usual"}


def test_a_figure_that_repeats_is_confirmed_and_known_the_next_night(machine):
    follower = after(machine, 8)
    night = machine.night({3: STEP}, fresh={})
    verdict = follower.judge(night)
    assert list(verdict.suspects) == [3]
    assert verdict.figures[3].said == "open"
    verdict = follower.add(night._replace(fresh={3: machine.fresh(STEP)}))
    assert verdict.alarms == (3,)
    assert verdict.figures[3].fresh_ratio == pytest.approx(1.25, rel=0.03)
    again = follower.add(machine.night({3: STEP}, fresh={}))
    assert again.figures[3].said == "slower"
    assert again.figures[3].since == night.name
    assert 3 not in again.suspects, "it would be measured again every night"


def test_noise_is_no_alarm_and_its_fresh_launches_are_the_past(machine):
    follower = after(machine, 8)
    fresh = machine.fresh(0.0)
    verdict = follower.add(machine.night({3: STEP}, fresh={3: fresh}))
    assert verdict.figures[3].said == "noise"
    usual = follower.judge(machine.night()).usual[3]
    assert usual.nights == 9
    assert usual.level == pytest.approx(0.0, abs=0.02)


def test_a_night_that_nobody_measured_again_does_not_become_the_past(machine):
    follower = after(machine, 8)
    assert follower.add(machine.night({3: STEP}, fresh={})).figures[3].said == "open"
    usual = follower.judge(machine.night()).usual
    assert (usual[3].nights, usual[4].nights) == (8, 9)


def test_without_measuring_again_two_nights_make_an_alarm(machine):
    follower = after(machine, 8)
    first = follower.add(machine.night({3: STEP}))
    assert (first.figures[3].said, first.alarms) == ("open", ())
    assert follower.add(machine.night({3: STEP})).alarms == (3,)


def test_a_new_level_becomes_the_past_when_it_is_half_of_it(machine):
    follower = after(machine, 4, at_once=True)
    said = [follower.add(machine.night({3: STEP})).figures[3].said for _ in range(8)]
    assert said[:4] == ["slower"] * 4
    assert said[-1] == "usual"


def test_a_slow_machine_is_said_and_no_alarm_until_it_lasts(machine):
    follower = after(machine, 8, at_once=True)
    night = machine.night(everything=math.log(1.4))
    verdict = follower.add(night)
    assert verdict.machine.factor == pytest.approx(1.4, rel=0.03)
    assert not verdict.alarms
    lasting = follower.add(machine.night(everything=math.log(1.4)))
    assert len(lasting.alarms) == FIGURES
    assert lasting.figures[0].since == night.name


def test_launches_in_a_slow_spell_are_left_out(machine):
    follower = after(machine, 8, at_once=True)
    night = machine.night()
    slow = {key: values + np.array([0.0, 0.7, 0.7]) for key, values in night.launches.items()}
    verdict = follower.judge(night._replace(launches=slow))
    assert verdict.machine.slow_launches == 2
    assert not verdict.alarms


def test_what_is_measured_again_has_witnesses_that_tell_slow_launches(machine):
    follower = after(machine, 8)
    night = machine.night({3: STEP}, fresh={})
    verdict = follower.judge(night)
    again = choose(verdict, night)
    assert again.suspects == (3,)
    assert len(again.witnesses) == WITNESSES
    spell = np.array([0.0, 0.7, 0.0, 0.0])
    launches = {key: machine.fresh(0.0, 4) + spell for key in again.witnesses}
    launches[3] = machine.fresh(STEP, 4) + spell
    free = spell_free(verdict, night, again, Fresh(launches, {}))
    assert len(free[3]) == 3
    assert level_of(free[3]).value == pytest.approx(STEP, abs=0.05)
    still, rounds = wanted(verdict, again, {3: free[3][:0]})
    assert (still, rounds) == ((3,), LOOKS[0])
    assert wanted(verdict, again, {3: machine.fresh(0.0, 3)}) == ((), 0)


def test_yardsticks_tell_slow_launches_that_witnesses_do_not(machine):
    follower = after(machine, 8)
    night = machine.night({3: STEP}, fresh={})
    verdict = follower.judge(night)
    again = choose(verdict, night)
    launches = {key: machine.fresh(0.0, 3) for key in again.witnesses}
    launches[3] = machine.fresh(STEP, 3) + np.array([0.0, 0.0, 0.7])
    fresh = Fresh(launches, {3: np.array([False, False, True])})
    assert list(spell_free(verdict, night, again, fresh)[3]) == list(launches[3][:2])
    assert met_spell(verdict, night, again, (3,), fresh)
    assert not met_spell(verdict, night, again, (3,), Fresh(launches, {}))
    assert not met_spell(verdict, night, again, (), fresh)


def test_a_step_that_one_night_does_not_tell_two_tell_together():
    usual = Usual(level=0.0, nights=12, launches=36, between=2e-4, within=4e-4, freedom=22)
    fresh = np.full(LOOKS[-1], 0.068)
    last = len(LOOKS) - 1
    alone = Suspect(launches=fresh[:3])
    assert look(usual, fresh, 40, last, alone) != "confirmed"
    assert look(usual, fresh, 40, last, alone._replace(before=Level(0.068, 15))) == "confirmed"
    # A night before that was as usual, or disturbed, does not help.
    assert look(usual, fresh, 40, last, alone._replace(before=Level(0.0, 15))) != "confirmed"
    less = np.full(LOOKS[-1], 0.052)
    disturbed = Suspect(launches=less[:3], before=Level(0.5, 15))
    assert look(usual._replace(between=6e-4), less, 40, last, disturbed) != "confirmed"
    # Nor two nights where another one was as slow.
    known = Suspect(launches=fresh[:3], before=Level(0.068, 15), slowest=0.08)
    assert look(usual, fresh, 40, last, known) == "noise"


def test_one_fresh_launch_is_never_sure():
    usual = Usual(level=0.0, nights=12, launches=36, between=2e-4, within=4e-4, freedom=22)
    suspect = Suspect(launches=np.full(3, 0.5))
    assert look(usual, np.full(1, 0.5), 40, 0, suspect) == "open"
    assert look(usual, np.full(3, 0.5), 40, 1, suspect) == "confirmed"
    assert look(usual, np.full(1, 0.0), 40, 0, suspect) == "noise"


def test_an_alarm_goes_on_until_a_night_that_chance_makes_as_slow(machine):
    follower = after(machine, 8)
    step = 0.07
    night = machine.night({3: step}, fresh={3: np.full(12, step)})
    verdict = follower.add(night._replace(launches=night.launches | {3: np.full(3, step)}))
    assert verdict.figures[3].said == "slower"
    same = machine.night()
    same = same._replace(launches=same.launches | {3: np.full(3, step)})
    assert follower.judge(same).figures[3].said == "slower"
    # More than half as slow, but by one launch, which scatters by 2 %.
    hardly = same._replace(
        launches=same.launches | {3: np.array([0.55 * step])}, groups=same.groups | {3: "one"}
    )
    assert follower.judge(hardly).figures[3].said == "usual"
    faster = same._replace(launches=same.launches | {3: np.full(3, step / 4)})
    assert follower.judge(faster).figures[3].said == "usual"


def test_what_had_ended_when_it_was_measured_again_is_no_alarm(machine):
    """All launches of the night are slow, and none of the fresh ones: pooled they are slower."""
    follower = after(machine, 8)
    night = machine.night({3: 0.15}, fresh={3: machine.fresh(0.0, 5)})
    assert follower.judge(night).figures[3].said == "noise"


def test_a_figure_that_was_as_slow_before_is_not_called_slower(machine):
    follower = after(machine, 4, at_once=True)
    assert follower.add(machine.night({3: STEP}, fresh={})).figures[3].said == "open"
    for _ in range(8):
        follower.add(machine.night())
    assert follower.add(machine.night({3: STEP - 0.05})).figures[3].said == "open"
    assert follower.add(machine.night({4: STEP - 0.05})).figures[4].said == "slower"


def test_a_figure_of_which_no_night_is_like_the_other_has_no_usual_time(machine):
    follower = after(machine, 4)
    for _ in range(2):
        for level in (STEP, 1.5 * STEP):
            assert follower.add(machine.night({3: level}, fresh={})).figures[3].said == "open"
        follower.add(machine.night())
    verdict = follower.judge(machine.night({3: 2 * STEP}))
    assert verdict.figures[3].said == "unsteady"
    assert not verdict.suspects


def test_a_machine_that_was_so_slow_before_is_no_alarm_when_it_lasts(machine):
    follower = after(machine, 8)
    slow = math.log(1.4)
    follower.add(machine.night(everything=slow))
    follower.add(machine.night())
    for _ in range(2):
        verdict = follower.add(machine.night(everything=slow))
        assert verdict.machine.moved and not verdict.alarms


def test_a_machine_moved_by_more_than_it_mostly_does(machine):
    """Where nights differ by a tenth in all figures together, one of a tenth is as usual."""
    follower = after(machine, 4)
    for _ in range(4):
        follower.add(machine.night(everything=0.1))
        follower.add(machine.night(everything=-0.1))
    assert not follower.judge(machine.night(everything=0.12)).machine.moved
    assert follower.judge(machine.night(everything=1.5)).machine.moved


def test_no_more_than_a_hundredth_of_the_nights_has_a_false_alarm():
    machine = Machine(seed=7)
    follower = after(machine, 8)
    alarms = 0
    for _ in range(40):
        night = machine.night(fresh={})
        suspects = follower.judge(night).suspects
        own = {key: float(np.mean(night.launches[key])) for key in suspects}
        # The night of a figure is the same in its fresh launches: half of what it shows at most.
        fresh = {key: machine.fresh(own[key] / 2) for key in suspects}
        alarms += bool(follower.add(night._replace(fresh=fresh)).alarms)
    assert alarms <= 2


FAST, SLOW = 1e-7, 3e-7


def measured(name, *launches):
    """A run of one figure: of each launch its median in seconds, and what its yardstick read."""
    readings = tuple(
        LaunchReadings(cores="c", round_trips_s=(read, read * (1 + number / 1000)))
        for number, (_, read) in enumerate(launches)
    )
    medians = tuple(median for median, _ in launches)
    return Dated(name, (figure(medians, readings=readings),))


def seconds(night):
    return [pytest.approx(math.exp(value)) for value in night.launches[0]]


def test_slow_launches_are_left_out_where_there_are_others():
    past = [measured(f"run-{n}", (1.0, FAST), (1.01, FAST), (2.5, SLOW)) for n in range(3)]
    new = measured("new", (2.0, SLOW), (1.02, FAST), (1.5, FAST))
    nights = nights_of(past, new)
    assert seconds(nights[0]) == [1.0, 1.01]
    # Slow in a usual state is slow.
    assert seconds(nights[-1]) == [1.02, 1.5]
    whole = measured("new", (2.0, SLOW), (2.1, SLOW))
    assert seconds(nights_of(past, whole)[-1]) == [2.0, 2.1]


def test_without_yardsticks_every_launch_counts():
    bare = Dated("run", (figure((1.0, 2.0, 3.0)),))
    assert seconds(nights_of([bare], bare)[0]) == [1.0, 2.0, 3.0]


def test_what_is_measured_again_is_known_by_the_states_of_the_nights():
    past = [measured(f"run-{n}", (1.0, FAST), (1.01, FAST), (2.5, SLOW)) for n in range(3)]
    new = measured("new", (1.3, FAST), (1.31, FAST))
    again = measured("again", (1.3, FAST), (3.0, SLOW))
    fresh = fresh_of(again.points, new, Yardsticks((*past, new)))
    assert list(fresh.slow[0]) == [False, True]
    assert fresh.launches[0] == pytest.approx([math.log(1.3), math.log(3.0)])
