"""A machine that is measured night after night: figures that scatter, and slow spells of it all."""

from typing import NamedTuple

import numpy as np

from comparison.nights_replay import Drawn
from leadline.analysis.stats.statistics import Array


class Machine(NamedTuple):
    """What disturbs a machine.

    A launch is in a slow spell with the probability `slow`, one after a slow one with `stays`; the
    spell reaches into a part `reach` of the figures. A single point of a launch is disturbed with
    the probability `points`. Both make figures 1.4 to 3 times as slow. `night` and `launch` are the
    standard deviations of a figure's logarithms, `common` that of all figures of a night together;
    figures differ in the latter two by factors, lognormally with `unlike`.
    """

    name: str
    slow: float
    stays: float
    points: float
    night: float = 0.01
    launch: float = 0.025
    common: float = 0.005
    unlike: float = 0.4
    reach: float = 0.85


# As the two sets of launches in docs/results/launches.md: steady ones, and those as they came.
MACHINES = (
    Machine("calm", slow=0.02, stays=0.5, points=0.01),
    Machine("disturbed", slow=0.10, stays=0.6, points=0.05),
    Machine("two states", slow=0.25, stays=0.7, points=0.05, launch=0.03, night=0.012),
)

_SLOWEST, _LEAST_SLOW = 3.0, 1.4


class Nights:
    """Draws launches of `figures` figures on a machine, night after night."""

    def __init__(self, random: np.random.Generator, machine: Machine, figures: int) -> None:
        self.random, self.machine, self.figures = random, machine, figures
        self.level = random.uniform(-14, -6, figures)
        self.night_scatter = machine.night * random.lognormal(0, machine.unlike, figures)
        self.launch_scatter = machine.launch * random.lognormal(0, machine.unlike, figures)
        self.reached = random.random(figures) < machine.reach
        self._slow = False
        self._factor = 0.0
        self.tonight = self.level

    def begin(self) -> None:
        """Begin a night: figures have their levels of the night, and the machine any state."""
        common = self.random.normal(0, self.machine.common)
        own = self.random.normal(0, 1, self.figures) * self.night_scatter
        self.tonight = self.level + common + own
        self._enter(self.machine.slow)

    def launch(self, part: float = 1.0) -> Drawn:
        """Return one more launch, of which the yardsticks know whether it is in a slow spell."""
        here = self.machine
        # So that so many launches are slow in all.
        after_steady = here.slow * (1 - here.stays) / (1 - here.slow)
        self._enter(here.stays**part if self._slow else 1 - (1 - after_steady) ** part)
        found = self.tonight + self.random.normal(0, 1, self.figures) * self.launch_scatter
        if self._slow:
            scatter = self.random.normal(0, 0.1, self.figures)
            found = found + self.reached * np.maximum(0, self._factor + scatter)
        disturbed = self.random.random(self.figures) < here.points
        found = found + disturbed * self._slowed(self.figures)
        return Drawn(np.asarray(found), np.full(self.figures, self._slow))

    def _enter(self, chance: float) -> None:
        was, self._slow = self._slow, bool(self.random.random() < chance)
        if self._slow and not was:
            self._factor = float(self._slowed(1)[0])

    def _slowed(self, count: int) -> Array:
        return self.random.uniform(np.log(_LEAST_SLOW), np.log(_SLOWEST), count)
