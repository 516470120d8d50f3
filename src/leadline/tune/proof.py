"""What of a choice holds when it is measured again, with and without, in fresh processes.

Whoever takes the fastest of many measurements takes the luckiest ones too, so what chose an
algorithm says nothing of its gain. The proof therefore has measurements of its own, as many
launches as were decided before. A size counts as better only if launches with the choice are
faster for sure by its own interval, and with so many others beyond chance that at most 5 % of all
that is kept are expected to be without a real gain (`leadline.analysis.stats.rivals`). To bound the
chance of *any* such one dropped gains of 3x on machines with slow states, and one costs little: it
is about as fast as the library. An interval that spans more than a factor of ten is that of a
disturbed machine: it tells no gain.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import msgspec

from leadline.core.units import format_bytes
from leadline.model.profile import LIBRARY
from leadline.model.tuning import DISTURBED, Trial, Verdict

if TYPE_CHECKING:
    from leadline.analysis.stats.rivals import Judged

# Fewer launches on a side hardly show how they scatter.
FEWEST_LAUNCHES = 3

_LEVEL = 0.05

# The lower end of a gain's interval is a hundredth above 1, and its upper end no more than so many
# times the lower one.
_LEAST, _WIDEST = 1.01, 10.0

# A time that is said to be as before may be this part of it.
HARMLESS = 0.95


def verdicts(trials: Sequence[Trial]) -> list[Verdict]:
    """Return the verdict on each trial, in their order.

    Trials of one shape (nodes, processes) are of the same launches and are judged together, each
    with what launches it has: they differ where the machine has states, and where one was cut.
    """
    import numpy as np

    from leadline.analysis.stats import permutation, rivals

    together: dict[tuple[int, int, bool], list[int]] = {}
    for index, trial in enumerate(trials):
        if _is_whole(trial):
            many = min(len(trial.without_s), len(trial.with_s)) >= permutation.FEWEST
            together.setdefault((trial.nodes, trial.processes, many), []).append(index)
    judged: dict[int, Judged] = {}
    for (_, _, many), members in together.items():
        fast = [trials[index].with_s for index in members]
        slow = [trials[index].without_s for index in members]
        if many:
            found = rivals.judge_each(fast, slow)
        else:
            cut = (np.array([times[:FEWEST_LAUNCHES] for times in side]) for side in (fast, slow))
            found = rivals.judge(*cut, longer_only=True)
        judged.update(zip(members, found, strict=True))
    return [_verdict(trial, judged.get(index)) for index, trial in enumerate(trials)]


def without_harm(judged: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, none kept of a collective that got slower where nothing was chosen.

    What a library is told of some sizes may change others, which are trials of the choice
    `LIBRARY`: Open MPI 5 with any rule at all decides anew everywhere.
    """
    harmed = {
        _shape(verdict): verdict.trial.bytes
        for verdict in judged
        if verdict.trial.choice == LIBRARY and not verdict.gain >= HARMLESS
    }
    found = []
    for verdict in judged:
        reason = verdict.reason
        if verdict.trial.choice == LIBRARY:
            reason = "nothing chosen"
        elif not reason and _shape(verdict) in harmed:
            reason = f"harms {format_bytes(harmed[_shape(verdict)])}"
        found.append(msgspec.structs.replace(verdict, reason=reason))
    return found


def as_one(judged: Sequence[Verdict], collectives: Set[str]) -> list[Verdict]:
    """Return the verdicts, those on all sizes of each of the `collectives` as one.

    Their ranks know no common size, so that the choice of one size is the choice of all: it is kept
    where it is better at each of them.
    """
    against: dict[tuple[str, int, int], Verdict] = {}
    for verdict in judged:
        if verdict.trial.collective in collectives and not verdict.kept:
            against.setdefault(_shape(verdict), verdict)
    return [
        msgspec.structs.replace(verdict, reason=_reason_elsewhere(against[_shape(verdict)]))
        if verdict.kept and _shape(verdict) in against
        else verdict
        for verdict in judged
    ]


def _reason_elsewhere(verdict: Verdict) -> str:
    return f"{verdict.reason} at {format_bytes(verdict.trial.bytes)}"


def is_sure(low: float, high: float, p_value: float) -> bool:
    """Tell whether a gain with this 95 % interval and this probability by chance is proved."""
    return low >= _LEAST and high <= _WIDEST * low and p_value <= _LEVEL


def _shape(verdict: Verdict) -> tuple[str, int, int]:
    trial = verdict.trial
    return trial.collective, trial.nodes, trial.processes


def _is_whole(trial: Trial) -> bool:
    enough = min(len(trial.without_s), len(trial.with_s)) >= FEWEST_LAUNCHES
    return enough and min(*trial.without_s, *trial.with_s) > 0 and trial.verified


def _verdict(trial: Trial, judged: Judged | None) -> Verdict:
    gain, low, high, p_value = math.nan, 0.0, math.inf, 1.0
    if judged is None:
        reason = "too few launches" if trial.verified else "wrong data"
    else:
        (gain, ends, *_), p_value = judged
        low, high = ends or (low, high)
        reason = "" if is_sure(low, high, p_value) else "not for sure"
        if gain <= 1:
            reason = "not faster"
        elif high > _WIDEST * low:
            reason = DISTURBED
    return Verdict(
        trial=trial,
        without_us=_level_us(trial.without_s),
        with_us=_level_us(trial.with_s),
        gain=gain,
        gain_low=low,
        gain_high=high,
        p_value=p_value,
        reason=reason,
    )


def _level_us(seconds: Sequence[float]) -> float:
    """Return the time of the steady launches in microseconds, whose ratio is the gain."""
    from leadline.analysis.stats.permutation import steady

    if not seconds or min(seconds) <= 0:
        return math.nan
    return statistics.geometric_mean(steady(seconds)) * 1e6
