"""The finding on launches that met the machine slower than others did."""

import dataclasses

import msgspec

from leadline.analysis.findings.rules.levels import slow_spell
from leadline.model.run import MachineReading
from leadline.model.summary import StateFigure


def met(evidence, point, *slowness):
    """Return evidence of a run whose launches read these round trips, in units of 0.1 us."""
    one = evidence([point])
    launch = one.run.launches[0]
    launches = [
        msgspec.structs.replace(
            launch,
            launch=number,
            readings=tuple(
                MachineReading(points=at, round_trip_s=1e-7 * slow) for at, slow in enumerate(each)
            ),
        )
        for number, each in enumerate(slowness)
    ]
    return dataclasses.replace(one, run=msgspec.structs.replace(one.run, launches=launches))


def states(*numbers):
    return tuple(
        StateFigure(state=number, times=1.0 + 2 * number, launches=(number,), median_s=1.0)
        for number in numbers
    )


def test_slow_launches_are_counted_and_the_figures_state_is_named(evidence, figure):
    point = msgspec.structs.replace(figure(), states=states(0, 1))
    rows = (1.0, 1.01), (1.02, 1.0), (3.1, 3.12)
    (found,) = slow_spell.find(met(evidence, point, *rows))
    assert found.text == (
        "1 of 3 launches met a slow spell of the machine: cores are 3.1x farther apart. "
        "Figures are of the other launches."
    )
    assert found.points == (0,) and found.evidence["slow_launches"] == 1
    slow = msgspec.structs.replace(point, states=states(1, 0))
    (found,) = slow_spell.find(met(evidence, slow, *rows))
    assert found.text.endswith("Figures are of the slow launches.")


def test_slow_spell_stays_silent_where_all_launches_met_one_state(evidence, figure):
    assert not list(slow_spell.find(met(evidence, figure(), (1.0, 1.01), (1.1, 1.02))))
    assert not list(slow_spell.find(evidence([figure()])))
