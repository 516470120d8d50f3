"""The standing table of real programs: gains with intervals, and why nothing is gained."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from leadline.analysis.stats.comparison import Series, time_ratio

LIBRARY = "library"
# Other sides, in the order of the table: `learnt` follows `untuned`, from whose end it starts.
OTHERS = ("untuned", "learnt", "tuned")
# Below this part of the time in collectives nothing can be seen.
_FEW = 0.01
# Below this factor a gain is none to be seen, even where collectives took no time at all.
_SMALL = 1.05


class Launch(msgspec.Struct, frozen=True):
    """The seconds of one launch of a program, by its own account."""

    mpi: str
    program: str
    side: str
    round: int
    seconds: float


class Collectives(msgspec.Struct, frozen=True):
    """What the runtime's reports say of a program's collectives.

    `share` is the part of the ranks' time in collectives of the library. Of an untuned launch,
    `served` is the part of the collective time in leadline's algorithms, and `left` has the other
    parts by reason, the largest first.
    """

    share: float
    served: float
    left: dict[str, float]

    @property
    def most(self) -> float | None:
        """Return how many times faster the program is if its collectives take no time."""
        return 1 / (1 - self.share) if self.share < 1 else None


class Gain(NamedTuple):
    """How many times faster than the library a side is, with the 95 % interval."""

    ratio: float
    low: float | None
    high: float | None


class Row(NamedTuple):
    """A program with an MPI: the library's median time, and the gain of each side."""

    mpi: str
    program: str
    library_s: float
    gains: dict[str, Gain]
    collectives: Collectives | None


def collectives_of(library: Mapping[str, Any], untuned: Mapping[str, Any]) -> Collectives | None:
    """Return what two reports say: of a launch on the library's algorithms, and an untuned one.

    None where a report has no time.
    """
    whole = library["ranks"] * library["seconds"]
    if not whole > 0:
        return None
    calls = untuned["calls"]
    total = sum(each["seconds"] for each in calls)
    left: dict[str, float] = {}
    for each in calls:
        if each["algorithm"] is None and total > 0:
            left[each["reason"]] = left.get(each["reason"], 0.0) + each["seconds"] / total
    return Collectives(
        share=sum(each["seconds"] for each in library["calls"]) / whole,
        served=sum(each["seconds"] for each in calls if each["algorithm"]) / (total or 1.0),
        left=dict(sorted(left.items(), key=lambda item: -item[1])),
    )


def rows(
    launches: Sequence[Launch], reports: Mapping[tuple[str, str], Collectives | None]
) -> list[Row]:
    """Return a row for each program and MPI, of the rounds that both sides of a gain have."""
    found = []
    for key in dict.fromkeys((each.mpi, each.program) for each in launches):
        times: dict[str, dict[int, float]] = {}
        for each in launches:
            if (each.mpi, each.program) == key:
                times.setdefault(each.side, {})[each.round] = each.seconds
        if library := times.get(LIBRARY):
            gains = {
                side: gain
                for side in OTHERS
                if side in times and (gain := _gain(library, times[side]))
            }
            median = statistics.median(library.values())
            found.append(Row(*key, median, gains, reports.get(key)))
    return found


def why(row: Row) -> str:
    """Return why no side of a row is faster for sure, or nothing where one is."""
    if any(gain.low and gain.low > 1 for gain in row.gains.values()):
        return ""
    slower = [side for side, gain in row.gains.items() if gain.high and gain.high < 1]
    before = f"slower: {', '.join(slower)}; " if slower else ""
    return before + _cause(row.collectives)


def lines(found: Sequence[Row]) -> list[str]:
    """Return the table."""
    heads = "".join(f"{side:22}" for side in OTHERS)
    told = [
        "times faster than the library, median (95 % interval)",
        f"{'MPI':17}{'program':14}{'library':>10}{'collective':>12}  {heads}why nothing is gained",
    ]
    for row in found:
        share = f"{row.collectives.share:.1%}" if row.collectives else "-"
        cells = "".join(f"{_cell(row.gains.get(side)):22}" for side in OTHERS)
        told.append(
            f"{row.mpi:17}{row.program:14}{_format_seconds(row.library_s):>10}{share:>12}  "
            f"{cells}{why(row)}".rstrip()
        )
    return told


def _gain(library: Mapping[int, float], other: Mapping[int, float]) -> Gain | None:
    rounds = sorted(library.keys() & other.keys())
    if not rounds:
        return None
    slow, fast = (tuple(side[each] for each in rounds) for side in (library, other))
    ratio = time_ratio(
        Series(statistics.median(slow), None, slow), Series(statistics.median(fast), None, fast)
    )
    if ratio is None:
        return None
    low, high = ratio.interval or (None, None)
    return Gain(ratio.median, low, high)


def _cause(collectives: Collectives | None) -> str:
    if collectives is None:
        return "the runtime wrote no report"
    if collectives.share < _FEW:
        return f"{collectives.share:.1%} of the time in collectives"
    reason, part = next(iter(collectives.left.items()), ("", 0.0))
    if part >= 0.5:
        return f"{reason}: {part:.0%} of the collective time"
    if collectives.most and collectives.most < _SMALL:
        return f"{collectives.share:.1%} of the time in collectives: at most {collectives.most:.2f}"
    return "not certain: take more --rounds"


def _cell(gain: Gain | None) -> str:
    if gain is None:
        return "-"
    if gain.low is None or gain.high is None:
        return f"{gain.ratio:.2f}"
    return f"{gain.ratio:.2f} ({_format(gain.low)} to {_format(gain.high)})"


def _format(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0e}"


def _format_seconds(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
