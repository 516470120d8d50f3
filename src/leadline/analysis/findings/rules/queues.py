"""What more messages at once cost: others that wait in a queue, and traffic the other way."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of, ratio_text
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.core.units import format_bytes, format_seconds
from leadline.model.summary import Finding

# Axes of which a value says how many others wait, and how many messages are under way.
_DEPTH, _WINDOW = "depth", "window"


@rule(
    "speed",
    evidence={
        "depth": "the most that wait",
        "ratio": "time behind so many over the time behind the fewest",
        "slower_from_depth": "the fewest behind which it is surely slower",
    },
)
def queue_search(evidence: Evidence) -> Iterator[Finding]:
    """The time to find a message or a receive among many that wait."""
    curves: dict[object, dict[int, int]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        if _DEPTH in point.axes and point.verified and not evidence.mostly_disturbed(index):
            rest = {name: value for name, value in point.axes.items() if name != _DEPTH}
            place = (point.mpi, point.nodes, point.processes_per_node)
            key = (point.benchmark, point.series, place, str(rest), str(point.conditions))
            curves[key][int(point.axes[_DEPTH])] = index
    for curve in curves.values():
        if len(curve) > 1:
            yield from _of_curve(evidence, dict(sorted(curve.items())))


def _of_curve(evidence: Evidence, curve: Mapping[int, int]) -> Iterator[Finding]:
    (first, alone), *deeper = curve.items()
    fewest = evidence.points[alone]
    ratios = {
        depth: ratio
        for depth, index in deeper
        if (ratio := time_ratio(evidence.points[index], fewest))
    }
    slower = [depth for depth, ratio in ratios.items() if clearly_longer(ratio)]
    if not slower:
        return
    most = max(slower)
    point = evidence.points[curve[most]]
    # From the next one on it stays slower: a single depth that chance made slow is none.
    lasting = [depth for depth in slower if all(d in slower for d in ratios if d > depth)]
    begin = f", and surely slower from {min(lasting)} on" if lasting else ""
    yield Finding(
        severity="fact",
        text=f"{name_of(evidence, alone, without=[_DEPTH])}: behind {most} that wait it takes "
        f"{format_seconds(point.median_s)}, {ratio_text(ratios[most])} the "
        f"{format_seconds(fewest.median_s)} behind {first}{begin}.",
        effect=ratios[most].median,
        evidence={
            "depth": float(most),
            **ratios[most].evidence(),
            "slower_from_depth": float(min(lasting or slower)),
        },
        points=(alone, curve[most]),
    )


@rule(
    "speed",
    evidence={
        "ratio": "rate of both ways together over that of one way",
        "at_bytes": "message size",
    },
)
def both_ways(evidence: Evidence) -> Iterator[Finding]:
    """The rate of two processes that stream to each other at once, over that of one way."""
    found: dict[tuple[object, object, int], dict[int, int]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        if _WINDOW in point.axes and point.bytes and point.processes == 2 and point.verified:
            ways = round((point.message_rate_per_s or 0.0) * point.median_s)
            place = (point.mpi, point.nodes, str(point.conditions))
            found[place, point.axes[_WINDOW], point.bytes].setdefault(ways, index)
    largest: dict[object, tuple[int, int, int]] = {}
    for (where, _, size), by_ways in found.items():
        if {1, 2} <= by_ways.keys():
            largest[where] = max(largest.get(where, (0, 0, 0)), (size, by_ways[1], by_ways[2]))
    for size, one, both in largest.values():
        ratio = time_ratio(evidence.points[one], evidence.points[both])
        if ratio is None:
            continue
        moved = ratio.scaled(2.0)
        yield Finding(
            severity="fact",
            text=f"{name_of(evidence, both, without=['bytes'])} at once move "
            f"{ratio_text(moved)} the rate of one way at {format_bytes(size)}.",
            effect=moved.median,
            evidence={**moved.evidence(), "at_bytes": float(size)},
            points=(one, both),
        )
