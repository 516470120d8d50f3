"""The clocks of nodes, set against each other by the program's own collectives.

No process leaves a barrier, or any call that has data of all, before the last one has come. So two
nodes that meet in one bound the offset of their clocks from both sides, as tightly as the fastest
meeting took (Duda, Harrus, Haddad and Bernard, "Estimating Global Time in Distributed Systems",
1987, with messages in the place of collectives). No message is added, and drift is followed. Where
one node is late each time, its offset is between those of tighter bounds, such as those of the
barriers that the library adds at the beginning and at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Meetings from which one bound of an offset is taken, where there are many; and the most such
# bounds in a run. Of few meetings, as at its beginning and its end, some bounds are taken anyway.
_MEETINGS, _MOST_SPANS = 32, 256
_FEW_MEETINGS, _FEW_SPANS = 8, 4
# How fast clocks of computers drift at most: a drift is believed that is known better than that.
# And how much it changes through a run, as with the temperature.
_DRIFT, _WANDER = 5e-5, 1e-7
# Bounds are tight that are at most so many times as wide as the tightest, which a part of all are.
_TIGHT, _TIGHTEST = 3.0, 0.05


class Meetings(NamedTuple):
    """Who met: for each of P pairs of a meeting and a node, both int of shape (P,), sorted by both.

    `came_s` is when the last process of the node came, `left_s` when its first one left, in seconds
    by the node's clock, of shape (P,).
    """

    meeting: NDArray[np.int64]
    node: NDArray[np.int64]
    came_s: Floats
    left_s: Floats


class Offset(NamedTuple):
    """How far a clock is ahead of another one.

    At `times_s` by the clock itself, of shape (K,), ascending, it is `offsets_s` ahead, to within
    `errors_s`. Between them it is on the straight line, beyond them on that of the `drift`, which
    is known to within `drift_error`; both are seconds a second.
    """

    times_s: Floats
    offsets_s: Floats
    errors_s: Floats
    drift: float = 0.0
    drift_error: float = 0.0

    def at(self, times_s: Floats) -> Floats:
        """Return the offset at times by this clock, in seconds, of their shape."""
        rest = self.offsets_s - self.drift * (self.times_s - self.times_s[0])
        line = self.drift * (times_s - self.times_s[0])
        return np.asarray(line + np.interp(times_s, self.times_s, rest), dtype=np.float64)

    def error_at(self, times_s: Floats) -> Floats:
        """Return how far off the offset may be at times by this clock, in seconds."""
        beyond = np.abs(times_s - np.clip(times_s, self.times_s[0], self.times_s[-1]))
        known = np.interp(times_s, self.times_s, self.errors_s)
        return np.asarray(known + self.drift_error * beyond, dtype=np.float64)


SAME = Offset(np.zeros(1), np.zeros(1), np.zeros(1))


def clocks(meetings: Meetings, nodes: int) -> list[Offset | None]:
    """Return how far the clock of each node is ahead of one common clock.

    None for a node that never met one whose offset is known, not even by way of others.
    """
    found: list[Offset | None] = [None] * nodes
    of_node = [_of(meetings, node) for node in range(nodes)]
    left = sorted(range(nodes), key=lambda node: -len(of_node[node].meeting))
    if not left or not len(of_node[left[0]].meeting):
        return found
    found[left[0]] = SAME
    # Those with a known clock, of which each is tried once: usually all have met the first one.
    known = [left.pop(0)]
    for other in known:
        base = found[other]
        for node in list(left):
            step = _offset(of_node[node], of_node[other])
            if step is None or base is None:
                continue
            found[node] = _added(step, base)
            left.remove(node)
            known.append(node)
    return found


def _added(step: Offset, base: Offset) -> Offset:
    there = step.times_s - step.offsets_s
    return Offset(
        times_s=step.times_s,
        offsets_s=step.offsets_s + base.at(there),
        errors_s=step.errors_s + base.error_at(there),
        drift=step.drift + base.drift,
        drift_error=step.drift_error + base.drift_error,
    )


def _of(meetings: Meetings, node: int) -> Meetings:
    mask = meetings.node == node
    return Meetings(*(each[mask] for each in meetings))


def _offset(node: Meetings, other: Meetings) -> Offset | None:
    """Return how far the node's clock is ahead of the other's, None where they never met."""
    _, here, there = np.intersect1d(
        node.meeting, other.meeting, assume_unique=True, return_indices=True
    )
    if not len(here):
        return None
    times = node.left_s[here]
    order = np.argsort(times)
    times = times[order]
    least = (node.came_s[here] - other.left_s[there])[order]
    most = (node.left_s[here] - other.came_s[there])[order]
    few = min(len(times) // _FEW_MEETINGS, _FEW_SPANS)
    number = min(max(len(times) // _MEETINGS, few, 1), _MOST_SPANS)
    spans = np.array_split(np.arange(len(times)), number)
    centres = np.array([times[span].mean() for span in spans])

    # The meeting of each span that says most, whatever the drift.
    best = np.array([span[np.argmin((most - least)[span])] for span in spans])
    drift, drift_error = _drift(times[best], least[best], most[best])
    line = drift * (times - centres[0])
    low = np.array([(least - line)[span].max() for span in spans])
    high = np.array([(most - line)[span].min() for span in spans])
    middle, errors = (low + high) / 2, np.abs(high - low) / 2
    # One of the bounds, for what lies between a tight and a wide one is as wide as neither.
    tightest = np.quantile(errors, _TIGHTEST, method="lower")
    tight = np.flatnonzero(errors <= _TIGHT * tightest)
    between = np.interp(centres, centres[tight], middle[tight])
    nearest = np.abs(centres[:, np.newaxis] - centres[tight]).min(axis=1)
    wander = _WANDER if len(tight) > 1 else _DRIFT
    known = np.interp(centres, centres[tight], errors[tight]) + wander * nearest
    return Offset(
        times_s=centres,
        offsets_s=np.clip(between, np.minimum(low, high), np.maximum(low, high))
        + drift * (centres - centres[0]),
        errors_s=np.minimum(known, errors),
        drift=drift,
        drift_error=drift_error,
    )


def _drift(times: Floats, least: Floats, most: Floats) -> tuple[float, float]:
    """Return the drift of an offset with these bounds, and how far off it may be."""
    first, second = np.triu_indices(len(times), 1)
    apart = times[second] - times[first]
    is_apart = apart > 0
    first, second, apart = first[is_apart], second[is_apart], apart[is_apart]
    slowest = ((least[second] - most[first]) / apart).max(initial=-_DRIFT)
    fastest = ((most[second] - least[first]) / apart).min(initial=_DRIFT)
    return float(slowest + fastest) / 2, float(abs(fastest - slowest)) / 2


def common(offset: Offset | None, times_s: Floats) -> Floats:
    """Return times of a node by the common clock, in seconds, of their shape; nan if not known."""
    return np.full(times_s.shape, np.nan) if offset is None else times_s - offset.at(times_s)
