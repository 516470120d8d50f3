"""Pairs of ranks that send at once: whether they share a link or have one each."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import again, compared_text, name_of
from leadline.analysis.results.pairs import PAIRS
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary

TOPIC = "hardware"
ADVICE = "Spread pairs that send at once over more nodes or links."
EVIDENCE = {
    "pairs": "pairs at once",
    "slowdown_ratio": "time of the slowest pair over one alone",
    "links": "links that the pairs have together",
}

# Pairs that lose less than this have links of their own.
_OWN = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each number of pairs against one pair alone, a notice if they share."""
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


def _finding(evidence: Evidence, pairs: int, index: int, alone: int, ratio: Ratio) -> Finding:
    # How many links of one pair's rate the pairs have together.
    low, high = ratio.interval or (None, None)
    links = {"links": pairs / ratio.median}
    between = ""
    if low and high:
        links |= {"links_low": pairs / high, "links_high": pairs / low}
        ends = dict.fromkeys(f"{end:.2g}" for end in (pairs / high, pairs / low))
        between = f" ({' to '.join(ends)})" if len(ends) > 1 else ""
    shared = clearly_longer(ratio, useful=_OWN)
    if shared:
        verdict = "the pairs share a link"
    elif (high or ratio.median) <= _OWN:
        verdict = "each pair has its own link"
    else:
        verdict = "unclear whether the pairs share a link"
    point = evidence.points[index]
    cores = " Likely: ranks share cores, which also slows pairs." * point.oversubscribed
    return Finding(
        severity="notice" if shared else "fact",
        text=f"{name_of(evidence, index, without=[PAIRS])}: {verdict}. With {pairs} pairs at once, "
        f"the slowest is {compared_text(ratio, 'slower')} than one alone, as on "
        f"{links['links']:.2g}{between} links.{cores}",
        effect=ratio.median,
        evidence={
            "pairs": float(pairs),
            **ratio.evidence("slowdown_ratio"),
            **links,
        },
        advice=ADVICE if shared else None,
        command=again(evidence, [alone, index], launches=10) if shared else None,
        points=(alone, index),
    )
