"""The findings of a run: what every rule finds, the gravest first."""

import math
from collections.abc import Sequence

import msgspec

from leadline.analysis.compare.impact import impacts
from leadline.analysis.findings.contest import PairRatios
from leadline.analysis.findings.evidence import Evidence, Past
from leadline.analysis.findings.kinds import RULES
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.results.published import hold, replay
from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import Collector, analyse_samples
from leadline.core.units import percent
from leadline.model.imported import Bound
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, Finding

SEVERITIES = ("problem", "notice", "fact")

# Answers about the machine and its libraries; findings on the measurement itself need no doubt.
_TOPICS = ("speed", "hardware", "choice")
# With more repetitions interrupted than this an answer is likely, and beyond the second unknown.
_LIKELY, _UNKNOWN = 0.1, 0.5


def conclude(run: Run, source: SampleSource, collectors: Sequence[Collector] = ()) -> Analysis:
    """Return the figures of a run, its sweeps, and what they mean, the gravest finding first.

    `collectors` are shown the samples as they are read.
    """
    results = analyse_samples(run, source, collectors)
    points = results.points
    found = Analysis(
        points=points,
        sweeps=sweeps(points, run.benchmarks),
        missing=results.missing,
        jitter=results.jitter,
        noise=results.noise,
        impacts=impacts(run, points, results.tails),
        pairs=results.pairs,
        published=hold(run.plan.claims, points, results.jitter),
        replayed=replay(run.plan.program, points),
    )
    return msgspec.structs.replace(found, findings=find(run, found))


def find(
    run: Run, analysis: Analysis, past: Sequence[Past] = (), bounds: Sequence[Bound] = ()
) -> tuple[Finding, ...]:
    """Return what every rule finds in what the analysis has beside findings.

    `past` are earlier runs to hold it against, the oldest first, and `bounds` physical limits
    beside those that the run itself tells.
    """
    return findings(evidence_of(run, analysis, past, bounds))


def evidence_of(
    run: Run, analysis: Analysis, past: Sequence[Past] = (), bounds: Sequence[Bound] = ()
) -> Evidence:
    """Return what rules decide by, with the meaning of `find`'s arguments."""
    return Evidence(
        run=run,
        points=analysis.points,
        sweeps=analysis.sweeps,
        jitter=analysis.jitter,
        noise=analysis.noise,
        missing=analysis.missing,
        impacts=analysis.impacts,
        past=tuple(past),
        bounds=(*bounds, *bounds_of(run)),
    )


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """Return what every rule finds.

    By severity, what has no effect, then the largest effect first. What has none is mostly about
    the measurement itself, which one must know before the rest.
    """
    ratios = judge_pairs(evidence)
    found = (one for rule in RULES.values() for one in rule.find(evidence, ratios))
    return tuple(sorted((doubted(evidence, one) for one in found), key=_order))


def judge_pairs(evidence: Evidence) -> PairRatios:
    """Return the ratios of all pairs of figures that any rule compares, judged together."""
    return PairRatios(evidence, (pair for rule in RULES.values() for pair in rule.pairs(evidence)))


def _order(finding: Finding) -> tuple[int, bool, float]:
    distance = abs(math.log(finding.effect)) if finding.effect else 0.0
    return SEVERITIES.index(finding.severity), distance > 0, -distance


def doubted(evidence: Evidence, finding: Finding) -> Finding:
    """Return the finding, with a sentence on how sure it is where its figures were disturbed.

    One that is unknown has no gain to expect, and nothing to be done about it. Choices that shared
    cores alike are compared; what another job gains is not told by that.
    """
    share = _interrupted(evidence, finding)
    if finding.topic not in _TOPICS or finding.severity == "problem" or share <= _LIKELY:
        return finding
    crowded = all(evidence.points[index].oversubscribed for index in finding.points)
    compared = crowded and RULES[finding.kind].matches is not None
    unknown = share > _UNKNOWN and not compared
    sure = "Unknown" if unknown else "Likely only"
    doubt = f"{sure}: other programs interrupted {percent(share)} of these repetitions."
    if compared:
        doubt = "Measured with more processes than cores: so it is only where cores are shared."
    elif crowded:
        doubt = f"{sure}: there were more processes than cores."
    doubtful = msgspec.structs.replace(
        finding,
        text=f"{finding.text} {doubt}",
        evidence={**finding.evidence, "preempted_fraction": share},
        gain=None,
    )
    if not unknown:
        return doubtful
    return msgspec.structs.replace(doubtful, severity="fact", advice=None, command=None)


def _interrupted(evidence: Evidence, finding: Finding) -> float:
    """Return the part of all repetitions of its figures in which a rank lost its processor."""
    points = [evidence.points[index] for index in dict.fromkeys(finding.points)]
    every = sum(point.samples + point.excluded for point in points)
    return sum(point.flags.get("preempted", 0) for point in points) / max(1, every)
