"""What so many launches tell, drawn again and again from one set of launches that was measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.states import restricted
from leadline.analysis.results.states import met_alike
from leadline.analysis.results.summary import summarise
from leadline.analysis.stats.comparison import clearly_longer
from leadline.analysis.stats.launches import estimate
from leadline.analysis.stats.permutation import STEADY
from leadline.analysis.stats.rivals import ratios
from leadline.core.errors import UserError
from leadline.model.summary import PointSummary
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

Figures = tuple[PointSummary, ...]

# The changes that the goals are for.
FACTORS = (1.5, 1.2, 1.1)


class Told(NamedTuple):
    """What came of the trials with so many `launches` on a side.

    `found` has for each factor in how many trials the one figure that took so many times as long
    was called slower.
    """

    way: str
    launches: int
    trials: int
    false_alarms: int
    found: tuple[int, ...]


def stored(folder: Path) -> Figures:
    """Return the figures of a run that every launch has measured.

    Raises `UserError` where these are too few.
    """
    opened = RunFolder.open(f"{folder}/", folder.parent)
    return whole(summarise(opened.read(), StoredSamples(opened)))


def whole(figures: Figures) -> Figures:
    """Return the figures that every launch has measured."""
    most = max((len(each.launch_medians_s) for each in figures), default=0)
    found = tuple(each for each in figures if len(each.launch_medians_s) == most)
    if most < 4 or any(min(each.launch_medians_s) <= 0 for each in found):
        raise UserError("a set of launches needs 4 or more, whose times are above zero")
    return found


def steady(figures: Figures) -> Figures:
    """Return the figures with those launches only in which none was much slower than usual.

    So a machine would be that nobody else uses: this one is shared.
    """
    table = np.array([each.launch_medians_s for each in figures])
    quiet = np.all(table <= STEADY * np.quantile(table, 0.25, axis=1, keepdims=True), axis=0)
    return whole(_of_launches(figures, np.flatnonzero(quiet)))


def told(figures: Figures, launches: int, trials: int, seed: int = 1) -> Iterator[Told]:
    """Yield what two sides of so many launches tell, as two runs and as rivals of one run.

    Both sides are drawn from the same set, so that nothing differs: a launch is on one side at
    most, and brings all its figures. Then one figure of the second side takes so many times as
    long.
    """
    random = np.random.default_rng((seed, launches))
    count = len(figures[0].launch_medians_s)
    if 2 * launches > count:
        raise UserError(f"{launches} launches on each side need a set of {2 * launches} or more")
    alarms, found = np.zeros(2, dtype=int), np.zeros((2, len(FACTORS)), dtype=int)
    for trial in range(trials):
        drawn = random.permutation(count)[: 2 * launches]
        base = _of_launches(figures, drawn[:launches])
        other = _of_launches(figures, drawn[launches:])
        chosen = trial % len(figures)
        for way, judge in enumerate((_as_runs, _as_rivals)):
            alarms[way] += any(judge(base, other))
            for index, factor in enumerate(FACTORS):
                found[way, index] += judge(base, _slower(other, chosen, factor))[chosen] > 0
    for way, name in enumerate(("two runs", "one run")):
        yield Told(name, launches, trials, int(alarms[way]), tuple(found[way].tolist()))


def _as_runs(base: Figures, other: Figures) -> list[int]:
    """Return 1 for a figure that is slower on the other side, -1 for faster, 0 for unclear."""
    found = compare("base", base, "other", other).figures
    return [{"slower": 1, "faster": -1}.get(each.verdict, 0) for each in found]


def _as_rivals(base: Figures, other: Figures) -> list[int]:
    pairs = [met_alike(above, below) for above, below in zip(other, base, strict=True)]
    return [
        1 if clearly_longer(ratio) else -1 if clearly_longer(ratio.inverse()) else 0
        for ratio in ratios(pairs)
    ]


def _of_launches(figures: Figures, launches: Any) -> Figures:
    """Return the figures as these launches show them, by position."""
    return tuple(restricted(each, list(launches)) for each in figures)


def _slower(figures: Figures, chosen: int, factor: float) -> Figures:
    return tuple(
        msgspec.structs.replace(
            each,
            median_s=each.median_s * factor,
            launch_medians_s=tuple(seconds * factor for seconds in each.launch_medians_s),
        )
        if number == chosen
        else each
        for number, each in enumerate(figures)
    )


def covered(figures: Figures, launches: int, trials: int, seed: int = 1) -> dict[str, float]:
    """Return how often intervals from so many launches hold the truth, by what they are of.

    The truth of a median is that of the whole set, from which launches are drawn with replacement;
    that of two sides of the set, a launch on one at most, is a ratio of 1.
    """
    random = np.random.default_rng((seed, launches))
    table = np.array([each.launch_medians_s for each in figures])
    truth = np.median(table, axis=1)
    hits: dict[str, list[bool]] = {"median": [], "ratio of runs": [], "ratio within a run": []}
    for _ in range(trials):
        drawn = table[:, random.integers(table.shape[1], size=launches)]
        for row, level in zip(drawn, truth, strict=True):
            interval = estimate([np.array([value]) for value in row]).interval
            hits["median"].append(interval is not None and interval.low <= level <= interval.high)
        order = random.permutation(table.shape[1])[: 2 * launches]
        base, other = table[:, order[:launches]], table[:, order[launches:]]
        sides = (_of_launches(figures, order[:launches]), _of_launches(figures, order[launches:]))
        found = compare("base", sides[0], "other", sides[1]).figures
        hits["ratio of runs"] += [
            one.low <= 1 <= one.high
            for one in found
            if one.low is not None and one.high is not None
        ]
        pairs = [(a.tolist(), b.tolist()) for a, b in zip(other, base, strict=True)]
        within = [ratio.interval for ratio in ratios(pairs)]
        hits["ratio within a run"] += [one.low <= 1 <= one.high for one in within if one]
    return {name: float(np.mean(each)) for name, each in hits.items() if each}


def lines(found: Sequence[Told], figures: int, launches: int) -> list[str]:
    """Return what was told, for people."""
    factors = "".join(f"{f'{factor:g}x found':>14}" for factor in FACTORS)
    answer = [
        f"{figures} figures, drawn from one set of {launches} launches",
        f"{'':10}{'launches':>10}{'false alarms':>16}{factors}",
    ]
    for each in found:
        powers = "".join(f"{count / each.trials:>14.1%}" for count in each.found)
        alarms = each.false_alarms / each.trials
        answer.append(f"{each.way:10}{each.launches:>10}{alarms:>16.1%}{powers}")
    return answer
