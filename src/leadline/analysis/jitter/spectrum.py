"""The spectrum of detours: at which frequencies they come."""

from collections.abc import Sequence

import numpy as np

from leadline.analysis.jitter.detours import Detours
from leadline.analysis.stats.calls import Numbers


def spectrum(
    rows: Sequence[Detours], observed: Sequence[float], slot: float, bands: int = 400
) -> tuple[Numbers, Numbers]:
    """Return frequencies in Hz, ascending, and the power of detours there; 1 is that of chance.

    The periodogram of when detours begin, in slots of so many seconds, as the mean over the rows
    that have any, from two turns of the longest row to one in two slots. Of each of the `bands` of
    equal width on a logarithmic scale the strongest frequency is kept.
    """
    longest = max(observed)
    slots = max(8, int(longest / slot) + 1)
    total, some = np.zeros(slots // 2 + 1), 0
    for row in rows:
        if len(row.begin) > 1:
            place = ((row.begin - row.begin[0]) / slot).round().astype(int)
            here = np.bincount(np.minimum(place, slots - 1), minlength=slots).astype(float)
            total += np.abs(np.fft.rfft(here - here.mean())) ** 2 / len(place)
            some += 1
    frequency = np.fft.rfftfreq(slots, slot)
    used = frequency >= 2 / longest
    if not some or not used.any():
        return np.zeros(0), np.zeros(0)
    power, frequency = total[used] / some, frequency[used]
    edges = np.geomspace(frequency[0], frequency[-1], bands + 1)
    band = np.minimum(np.searchsorted(edges, frequency, side="right") - 1, bands - 1)
    first = np.flatnonzero(np.concatenate(([True], band[1:] != band[:-1])))
    ends = [*first[1:].tolist(), len(band)]
    strongest = np.array(
        [a + int(power[a:b].argmax()) for a, b in zip(first.tolist(), ends, strict=True)]
    )
    return frequency[strongest].astype(float), power[strongest]
