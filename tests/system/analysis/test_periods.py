"""False alarms of periods are as rare as they should be, in simulation."""

import numpy as np
import pytest

from leadline.analysis.jitter.detours import Detours
from leadline.analysis.jitter.periods import FALSE_ALARM, trains


@pytest.mark.parametrize("per_second", [20.0, 300.0, 2000.0])
def test_false_alarms_are_as_rare_as_stated(per_second: float) -> None:
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(100):
        times = [np.sort(random.uniform(0, 0.5, random.poisson(per_second / 2))) for _ in (0, 1)]
        rows = [Detours(t, np.full(len(t), 1e-5), np.zeros(len(t), dtype=int)) for t in times]
        alarms += bool(trains(rows, [0.5, 0.5], 1e-4))
    # More than four in a hundred would be a chance of 1 in 300 at the rate of one in a hundred.
    assert FALSE_ALARM == 0.01 and alarms <= 4
