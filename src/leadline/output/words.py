"""Words for figures and verdicts: evidence with units, statistics, the sizes of each verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from leadline.analysis.findings.words import sizes_text
from leadline.core.units import format_bytes, format_figure, format_seconds, number, percent, times
from leadline.model.profile import LIBRARY
from leadline.model.summary import PointSummary, Topic

# The questions that findings answer, in the order in which they are shown.
TOPICS: dict[Topic, str] = {
    "speed": "How fast?",
    "hardware": "Is it what the hardware can do?",
    "steadiness": "How steady?",
    "choice": "Which choice is better?",
    "trust": "Can I trust it?",
}

# An interval that spans so much says nothing.
VAGUE = 1000

_Format = Callable[[float], str]

# How the numbers are written, by the unit that ends their names.
_UNITS: dict[str, _Format] = {
    "s": format_seconds,
    "us": lambda value: format_seconds(value / 1e6),
    "bytes": format_bytes,
    "MBps": lambda value: f"{number(value / 1e3)} GB/s",
    "GBps": lambda value: f"{number(value)} GB/s",
    "fraction": percent,
    "percent": lambda value: percent(value / 100),
    "variation": percent,
    "precision": percent,
    "ratio": lambda value: f"{number(value)}x",
    "factor": lambda value: f"{number(value)}x",
}
# Units that are words of the name too.
_SPOKEN = ("variation", "precision", "ratio", "factor")


def evidence_rows(evidence: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return each figure's name and text; the ends of an interval stand with its middle.

    >>> evidence_rows({"p99_s": 0.0003653, "ratio": 1.66, "ratio_low": 1.36, "ratio_high": 2.07})
    [('p99', '365 us'), ('ratio', '1.66x (1.36x to 2.07x)')]
    """
    rows = []
    for name, value in evidence.items():
        ends = [_end(name, end, evidence) for end in ("low", "high")]
        if _is_end(name, evidence):
            continue
        text = _text(name, value)
        if None not in ends:
            low, high = (_text(name, end) for end in ends if end is not None)
            text = f"{text} ({low} to {high})"
        rows.append((_spoken(name), text))
    return rows


def _unit(name: str) -> str:
    last = name.rpartition("_")[2]
    return last if last in _UNITS else ""


def _with_end(name: str, end: str) -> tuple[str, str]:
    """Return both ways in which the end of an interval is named: before its unit, and after."""
    unit = _unit(name)
    stem = name.removesuffix(unit).rstrip("_")
    return f"{name}_{end}", f"{stem}_{end}_{unit}" if unit and stem else ""


def _end(name: str, end: str, evidence: Mapping[str, float]) -> float | None:
    return next((evidence[each] for each in _with_end(name, end) if each in evidence), None)


def _is_end(name: str, evidence: Mapping[str, float]) -> bool:
    return any(
        name in _with_end(other, end)
        for other in evidence
        if other != name
        for end in ("low", "high")
    )


def _text(name: str, value: float) -> str:
    form = _UNITS.get(_unit(name))
    if form is None and value.is_integer():
        return f"{value:.0f}"
    return form(value) if form else format_figure(value, padded=False)


def _spoken(name: str) -> str:
    unit = _unit(name)
    stem = name if unit in ("", *_SPOKEN) else name.removesuffix(unit).rstrip("_")
    return (stem or unit).replace("_", " ")


STATISTICS = {
    "median": "medians",
    "mean": "means",
    "minimum": "minima",
    "maximum": "maxima",
    "single": "single measurements",
}


def statistics_text(points: Iterable[PointSummary]) -> str:
    """Return what these figures are, such as `medians` or `means and single measurements`."""
    return " and ".join(sorted({STATISTICS[point.statistic] for point in points}))


# The order of the text; "same" is too small to matter, and LIBRARY a proof without gain.
_ORDER = ("faster", "slower", "same", "cannot tell", LIBRARY)
_WORDS = {
    "same": "the same",
    "cannot tell": "unclear",
    LIBRARY: "the library stays",
}


def verdicts_text(verdicts: Mapping[int, str]) -> str:
    """Return which sizes in bytes have which verdict, so that no gain stands without its losses.

    >>> verdicts_text({8: "faster", 64: "faster", 512: "cannot tell", 4096: "slower"})
    'faster at 8 B to 64 B; slower at 4 KiB; unclear at 512 B'
    """
    sizes = sorted(verdicts)
    found = {each: [size for size in sizes if verdicts[size] == each] for each in _ORDER}
    return "; ".join(
        f"{_WORDS.get(verdict, verdict)} at {sizes_text(sizes, own)}"
        for verdict, own in found.items()
        if own
    )


def interval_text(low: float | None, high: float | None, factor: float = 1, none: str = "-") -> str:
    """Return the ends of an interval times `factor`; `none` where there is none.

    One that spans a factor of 1000 says that it may be anything.
    """
    if low is None or high is None or high > VAGUE * low > 0:
        return none
    return f"{format_figure(low, factor)} - {format_figure(high, factor)}"


def time_unit(points: Iterable[PointSummary]) -> tuple[str, float]:
    """Return the unit in which all medians are readable, and what seconds are multiplied by."""
    smallest = min((point.median_s for point in points), default=0.0)
    return ("s", 1.0) if smallest >= 1 else ("ms", 1e3) if smallest >= 1e-3 else ("us", 1e6)


def times_interval(low: float, high: float) -> str:
    """Return the ends of the interval of a ratio.

    >>> times_interval(1.2, 1.43)
    '1.2 to 1.4x'
    """
    return f"{times(low).removesuffix('x')} to {times(high)}"


def calls_text(calls: float) -> str:
    """Return the calls of an average rank, whole from one on: 1500, or 0.3."""
    return f"{calls:.0f}" if calls >= 1 or not calls else f"{calls:.1g}"
