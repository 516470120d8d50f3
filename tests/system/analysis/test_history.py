"""False alarms of a history are as rare as they should be, in simulation."""

import math

import numpy as np
from launched import figure

from leadline.analysis.compare.history import Dated, watch


def steady(random, factor=1.0, count=8):
    return factor * random.lognormal(0, 0.01, count)


def test_false_alarms_are_rare_where_runs_scatter_more_than_launches():
    """Four figures, six earlier runs; a run's own scatter is five times that of its launches."""
    random = np.random.default_rng(12)
    trials, wrong = 30, 0
    for _ in range(trials):
        luck = random.lognormal(0, 0.05, (7, 4))
        every = [
            Dated(f"run-{number}", tuple(
                figure(steady(random, luck[number, place], 6), size=2**place) for place in range(4)
            ))
            for number in range(7)
        ]  # fmt: skip
        found = watch(every[:-1], every[-1]).comparison
        wrong += any(each.verdict in ("slower", "faster") for each in found.figures)
    assert wrong / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
