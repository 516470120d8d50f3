"""Findings: verdicts on results in plain words, one rule a file."""

import importlib
import math
from collections.abc import Sequence

import msgspec

from leadline.analysis.compare.interference import impacts
from leadline.analysis.findings.doubt import doubted
from leadline.analysis.findings.evidence import Evidence, Past
from leadline.analysis.findings.kinds import RULES, kind_of
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.results.published import hold, replay
from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import Collector, analyse_samples
from leadline.core.plugins import modules_of
from leadline.model.imported import Bound
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, Finding

SEVERITIES = ("problem", "notice", "fact")


def conclude(
    run: Run,
    source: SampleSource,
    past: Sequence[Past] = (),
    bounds: Sequence[Bound] = (),
    collectors: Sequence[Collector] = (),
) -> Analysis:
    """Return the figures of a run, its sweeps, and what they mean, the gravest finding first.

    `past` are earlier runs to hold it against, the oldest first, and `bounds` physical limits
    beside those that the run itself tells. `collectors` are shown the samples as they are read.
    """
    results = analyse_samples(run, source, collectors)
    points = results.points
    evidence = Evidence(
        run=run,
        points=points,
        sweeps=sweeps(points, run.benchmarks),
        jitter=results.jitter,
        noise=results.noise,
        missing=results.missing,
        impacts=impacts(run, points, results.tails),
        past=tuple(past),
        bounds=(*bounds, *bounds_of(run)),
    )
    return Analysis(
        points=points,
        sweeps=evidence.sweeps,
        missing=evidence.missing,
        findings=findings(evidence),
        jitter=evidence.jitter,
        noise=evidence.noise,
        impacts=evidence.impacts,
        pairs=results.pairs,
        published=hold(run.plan.claims, points, evidence.jitter),
        replayed=replay(run.plan.program, points),
    )


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """Return what every rule finds, each with its rule's file as kind, and its rule's topic.

    By severity, what has no effect, then the largest effect first. What has none is mostly about
    the measurement itself, which one must know before the rest.
    """
    found = [
        doubted(
            evidence, msgspec.structs.replace(one, kind=kind_of(rule.__name__), topic=rule.TOPIC)
        )
        for rule in map(importlib.import_module, modules_of(RULES))
        for one in rule.find(evidence)
    ]
    return tuple(sorted(found, key=_order))


def _order(finding: Finding) -> tuple[int, bool, float]:
    distance = abs(math.log(finding.effect)) if finding.effect else 0.0
    return SEVERITIES.index(finding.severity), distance > 0, -distance
