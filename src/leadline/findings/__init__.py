"""Figures to verdicts in plain words."""

from collections.abc import Sequence

from leadline.analyse.jitter import jitter
from leadline.analyse.summary import summarise
from leadline.analyse.sweep import sweeps
from leadline.findings.evidence import Evidence, Past
from leadline.findings.limits import bounds_of
from leadline.model.imported import Bound
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, Finding
from leadline.plugins import plugins

SEVERITIES = ("problem", "notice", "fact")


def conclude(
    run: Run, source: SampleSource, past: Sequence[Past] = (), bounds: Sequence[Bound] = ()
) -> Analysis:
    """Return the figures of a run, its sweeps, and what they mean, the gravest finding first.

    `past` are earlier runs to hold it against, the oldest first, and `bounds` physical limits
    beside those that the run itself tells.
    """
    points = summarise(run, source)
    evidence = Evidence(
        run=run,
        points=points,
        sweeps=sweeps(points),
        jitter=jitter(run, source, points),
        past=tuple(past),
        bounds=(*bounds, *bounds_of(run)),
    )
    return Analysis(
        points=points,
        sweeps=evidence.sweeps,
        findings=findings(evidence),
        jitter=evidence.jitter,
    )


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """Return what every rule finds, by severity and then by the rules' names."""
    found = [one for find in plugins("leadline.findings.rules", "find") for one in find(evidence)]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))
