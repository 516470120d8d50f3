"""Links: rates, latencies and sharing against what they can do, and their errors."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.compare.interference import launches_text, watched
from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import least_time, limit_of, streams, sustained
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import again, name_of, ratio_text
from leadline.analysis.results.pairs import PAIRS
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.units import count, format_bytes, format_seconds, percent, rate_text, times
from leadline.model.imported import Bound
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary

# From this share of the limit on there is little left to gain.
_NEAR = 0.8

# The last sizes differ by less than this where a curve has come to its end.
_LEVEL = 0.05


@rule(
    "hardware",
    cure="Measure larger messages where the rate still rises.",
    evidence={
        "best_MBps": "peak rate",
        "limit_MBps": "rate of the link",
        "limit_fraction": "peak over limit",
        "largest_size_MBps": "rate at the largest size",
        "still_rising": "1 where the largest size is still clearly faster",
    },
)
def link_limit(evidence: Evidence) -> Iterator[Finding]:
    """Peak rates against the rate of the link."""
    for sweep in evidence.curves_of_messages:
        usable = sustained(evidence, sweep)
        if sweep.processes == 2 and sweep.best_MBps and len(usable) > 1:
            yield from _of_sizes(evidence, usable)


def _of_sizes(evidence: Evidence, usable: Sequence[int]) -> Iterator[Finding]:
    best = max(usable, key=lambda index: evidence.points[index].bandwidth_MBps or 0.0)
    rate = evidence.points[best].bandwidth_MBps or 0.0
    last, before = (evidence.points[i].bandwidth_MBps or 0.0 for i in usable[:-3:-1])
    bound = limit_of(evidence, evidence.points[best], "bandwidth_MBps")
    if bound is None:
        return
    limit = bound.value * streams(evidence.points[best])
    share = rate / limit
    if share > 1:
        return
    rising = last > before * (1 + _LEVEL)
    course = ", still rising" if rising else ""
    size = format_bytes(evidence.points[best].bytes or 0)
    source = bound.source or "given"
    yield Finding(
        severity="fact" if share >= _NEAR else "notice",
        text=f"{name_of(evidence, best, without=['bytes'])} reaches {percent(share)} of the link: "
        f"{rate_text(rate)} at {size} of {rate_text(limit)} ({source}){course}.",
        evidence={
            "best_MBps": rate,
            "limit_MBps": limit,
            "limit_fraction": share,
            "largest_size_MBps": last,
            "still_rising": float(rising),
        },
        advice=Advise.LARGER(what="messages") if rising and share < _NEAR else None,
        command=_command(evidence, usable[-1]) if rising and share < _NEAR else None,
        points=(best, usable[-1]),
    )


def _command(evidence: Evidence, index: int) -> str | None:
    largest = evidence.points[index].bytes or 0
    axis = evidence.axis(evidence.points[index].benchmark, "bytes")
    most = int((axis.maximum if axis else None) or 8 * largest)
    if 2 * largest > most:
        return None
    return again(evidence, [index], bytes=f"{largest}:{min(8 * largest, most)}:x2")


# Pairs that lose less than this have links of their own.
_OWN = 1.1


@rule(
    "hardware",
    cure=Advise.SPREAD(),
    evidence={
        "pairs": "pairs at once",
        "slowdown_ratio": "time of the slowest pair over one alone",
        "links": "links that the pairs have together",
    },
)
def link_shared(evidence: Evidence) -> Iterator[Finding]:
    """Pairs of ranks that send at once: whether they share a link or have one each.

    Pairs inside a node each have no link: they share its cores and memory.
    """
    groups: dict[object, dict[int, int]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        if PAIRS in point.metrics:
            groups[_rest(point)].setdefault(int(point.metrics[PAIRS]), index)
    for by_pairs in groups.values():
        alone = by_pairs.get(1)
        for pairs, index in sorted(by_pairs.items()):
            if alone is None or pairs == 1:
                continue
            ratio = time_ratio(evidence.points[index], evidence.points[alone])
            if ratio is not None:
                yield _finding(evidence, pairs, index, alone, ratio)


def _rest(point: PointSummary) -> object:
    # The axis is called as the metric is.
    others = {name: value for name, value in point.axes.items() if name != PAIRS}
    shape = (point.benchmark, point.series, point.mpi, point.nodes, point.processes_per_node)
    return (*shape, point.bytes, variant(others, point.conditions))


def _stays_inside(point: PointSummary) -> bool:
    """Whether both ranks of each pair are on one node, in the usual order of ranks."""
    neighbours = point.axes.get("distance") == "neighbours" and "order" not in point.knobs
    return point.nodes == 1 or (neighbours and point.processes_per_node % 2 == 0)


def _finding(evidence: Evidence, pairs: int, index: int, alone: int, ratio: Ratio) -> Finding:
    # How many links of one pair's rate the pairs have together.
    low, high = ratio.interval or (None, None)
    links = {"links": pairs / ratio.median}
    between = ""
    if low and high:
        links |= {"links_low": pairs / high, "links_high": pairs / low}
        ends = dict.fromkeys(f"{end:.2g}" for end in (pairs / high, pairs / low))
        between = f" ({' to '.join(ends)})" if len(ends) > 1 else ""
    point = evidence.points[index]
    shared = clearly_longer(ratio, useful=_OWN)
    own = (high or ratio.median) <= _OWN
    cause = ""
    if _stays_inside(point):
        verdict = "inside a node, pairs slow each other down"
        if not shared:
            verdict = f"{'no' if own else 'unclear whether'} pair slows another down inside a node"
        links = {}
    else:
        verdict = "the pairs share a link" if shared else "each pair has its own link"
        if not shared and not own:
            verdict = "unclear whether the pairs share a link"
        cause = f", as on {links['links']:.2g}{between} links"
    if shared and point.oversubscribed:
        cause += ". Likely: ranks share cores, which also slows pairs"
    advised = shared and bool(links)
    return Finding(
        severity="notice" if shared else "fact",
        text=f"{name_of(evidence, index, without=[PAIRS])}: {verdict}. With {pairs} pairs at once, "
        f"the slowest takes {ratio_text(ratio)} the time of one alone{cause}.",
        effect=ratio.median,
        evidence={"pairs": float(pairs), **ratio.evidence("slowdown_ratio"), **links},
        advice=Advise.SPREAD() if advised else None,
        command=again(evidence, [alone, index], launches=10) if advised else None,
        points=(alone, index),
    )


@rule(
    "hardware",
    cure="Compare libraries and their transports: what is above the limit is software.",
    evidence={
        "median_s": "time of the message",
        "least_s": "latency of the links",
        "software_s": "difference",
        "times_least": "time over latency of the links",
    },
)
def latency_limit(evidence: Evidence) -> Iterator[Finding]:
    """Latency of a small message against what the links alone take."""
    points = evidence.points
    bounds = {index: least_time(evidence, point) for index, point in enumerate(points)}
    for group in evidence.groups(index for index, bound in bounds.items() if bound):
        least = min(group, key=lambda index: points[index].median_s)
        bound = bounds[least]
        if bound and points[least].median_s >= bound.value:
            yield _describe(evidence, least, bound)


def _describe(evidence: Evidence, index: int, bound: Bound) -> Finding:
    taken = evidence.points[index].median_s
    rest = taken - bound.value
    source = bound.source or "link"
    return Finding(
        severity="fact",
        text=f"{name_of(evidence, index)}: {format_seconds(taken)}, "
        f"{times(taken / bound.value)} the {format_seconds(bound.value)} of the {source}. "
        f"Software takes {format_seconds(rest)} ({percent(rest / taken)}).",
        evidence={
            "median_s": taken,
            "least_s": bound.value,
            "software_s": rest,
            "times_least": taken / bound.value,
        },
        points=(index,),
    )


@rule(
    "hardware",
    cure=Advise.CABLE(),
    evidence={
        "errors": "errors counted",
        "dropped": "packets dropped",
        "launches": "launches with errors",
    },
)
def link_errors(evidence: Evidence) -> Iterator[Finding]:
    """Network links that counted errors during the measurement."""
    # Hosts drop what is not for them, such as packets of protocols that they do not know.
    seen: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for launch in evidence.run.launches:
        for link in launch.company.links if launch.company else ():
            if link.errors:
                seen[link.name][launch.launch] = (link.errors, link.dropped)
    for name, launches in seen.items():
        errors, dropped = (sum(each) for each in zip(*launches.values(), strict=True))
        lost = f" and dropped {count(dropped, 'packet')}" if dropped else ""
        where = launches_text(tuple(launches), len(watched(evidence.run)))
        yield Finding(
            severity="notice",
            text=f"Link {name} counted {count(errors, 'error')}{lost} {where}: "
            "packets are sent again.",
            evidence={
                "errors": float(errors),
                "dropped": float(dropped),
                "launches": float(len(launches)),
            },
            advice=Advise.CABLE(),
            command=f"ip -s -s link show {name}",
        )
