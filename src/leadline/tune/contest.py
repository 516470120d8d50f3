"""Which of several candidates is fastest at one size, found with as few measurements as it takes.

A race (Maron & Moore, "Hoeffding Races: Accelerating Model Selection Search for Classification and
Function Approximation", NIPS 1993; Birattari et al., "A Racing Algorithm for Configuring
Metaheuristics", GECCO 2002): after each round those that are worse than the best for sure are
measured no more, so that the time goes to what is undecided. Candidates are compared launch by
launch, as all of them are measured in each launch. To lose the best by chance costs speed and
nothing else: what wins is proved in fresh processes before it is used (`leadline.tune.proof`).
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.rivals import ratios as ratios_of
from leadline.tune.ranges import Times

# Nobody gains from a difference below this: candidates so close are equal.
EQUAL = 1.02
# A candidate that takes so much longer than the best is out at once.
_HOPELESS = 2.0


def survivors(times: Times, base: str) -> tuple[str, ...]:
    """Return the candidates that are still worth a measurement; nothing where all is decided.

    `times` holds the medians of each one's launches in seconds, as many for each of those that are
    in the race. `base`, what the others are held against, is in it to the end.
    """
    there = _in_race(times, base)
    if not there:
        return ()
    best = _best(there)
    ratios = _ratios(there, best)
    left = [name for name in there if name == base or not _is_worse(there, name, best, ratios)]
    others = sorted((name for name in left if name != base), key=lambda name: _median(there[name]))
    if not others:
        return ()
    against = ratios if others[0] == best else _ratios(there, others[0])
    # As the winner is found: what seems decided here must not be undecided there.
    gain = _ratios(there, base).get(others[0])
    sure = _apart(gain) or _together(gain)
    alone = all(_together(against.get(other)) for other in others[1:])
    return () if sure and alone else tuple(left)


def winner(times: Times, base: str) -> str:
    """Return the candidate with the least time of those that beat `base` for sure, else `base`."""
    there = _in_race(times, base)
    ratios = {name: ratio.inverse() for name, ratio in _ratios(there, base).items()}
    better = [name for name, gain in ratios.items() if gain.interval and gain.interval.low > 1]
    return min(better, key=lambda name: _median(there[name]), default=base)


def is_best(times: Times, base: str) -> bool:
    """Tell whether no candidate is faster than `base`, or so little that they are equal: for sure.

    One that left the race early is held against `base` by the launches that it took part in.
    """
    others = [name for name in times if name != base]
    return bool(times.get(base)) and all(_is_no_faster(times, name, base) for name in others)


def _is_no_faster(times: Times, name: str, base: str) -> bool:
    together = _launches_of(times, name, base)
    ratios = _ratios(together, base) if together else {}
    ratio = ratios.get(name)
    if ratio is None or ratio.interval is None:
        return False
    return _is_worse(together, name, base, ratios) or ratio.interval.low > 1 / EQUAL


def common_winner(sizes: Sequence[Times], base: str) -> str:
    """Return the one candidate for all sizes together, or `base`.

    It is faster than `base` at every size, and for sure at one or more; of several, the one with
    the greatest geometric mean of its gains. One that left a race early is held
    against `base` by the launches that it took part in.
    """
    there = set[str].intersection(*(set(times) for times in sizes)) if sizes else set()
    means = {}
    for name in sorted(there - {base}):
        gains = [_gain(times, name, base) for times in sizes]
        known = [gain for gain in gains if gain and gain.interval]
        faster = any(gain.interval and gain.interval.low > 1 for gain in known)
        if faster and len(known) == len(gains) and all(gain.median > EQUAL for gain in known):
            means[name] = statistics.geometric_mean(gain.median for gain in known)
    return max(means, key=lambda name: means[name], default=base)


def _gain(times: Times, name: str, base: str) -> Ratio | None:
    """Return how many times as long `base` takes, or None where nothing is known."""
    together = _launches_of(times, name, base)
    if not together:
        return None
    ratio = _ratios({base: together[base], name: together[name]}, base).get(name)
    return ratio.inverse() if ratio else None


def _launches_of(times: Times, name: str, base: str) -> Times:
    """Return what all that were measured in the launches of `name` and `base` took in them."""
    launches = min(len(times[name]), len(times.get(base, ())))
    if launches == 0:
        return {}
    return {other: each[:launches] for other, each in times.items() if len(each) >= launches}


def _in_race(times: Times, base: str) -> Times:
    """Return the candidates that were measured as often as `base`: the others are out already."""
    launches = len(times.get(base, ()))
    return {name: each for name, each in times.items() if len(each) >= launches > 0}


def _best(times: Times) -> str:
    return min(times, key=lambda name: _median(times[name]))


def _is_worse(times: Times, name: str, best: str, ratios: Mapping[str, Ratio]) -> bool:
    if name == best:
        return False
    ratio = ratios.get(name)
    if min(times[name]) > _HOPELESS * max(times[best]):
        return True
    return ratio is None or bool(ratio.interval and ratio.interval.low > 1)


def _ratios(times: Times, below: str) -> dict[str, Ratio]:
    """Return how many times as long the others take as `below`, all judged together.

    None of those whose time is not above zero.
    """
    names = [name for name in times if name != below and min(*times[name], *times[below]) > 0]
    pairs = [(times[name], times[below]) for name in names]
    return dict(zip(names, ratios_of(pairs), strict=True))


def _apart(ratio: Ratio | None) -> bool:
    return bool(ratio and ratio.interval and not ratio.interval.low <= 1 <= ratio.interval.high)


def _together(ratio: Ratio | None) -> bool:
    return bool(
        ratio and ratio.interval and 1 / EQUAL < ratio.interval.low <= ratio.interval.high < EQUAL
    )


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)
