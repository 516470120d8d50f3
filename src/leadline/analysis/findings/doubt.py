"""Doubt: answers whose figures other programs disturbed say so themselves."""

import msgspec

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import percent
from leadline.model.summary import Finding

# Answers about the machine and its libraries; what is told of the measuring needs no doubt.
_TOPICS = ("speed", "hardware", "choice")
# With more repetitions interrupted than this an answer is likely, and beyond the second unknown.
_LIKELY, _UNKNOWN = 0.1, 0.5


def doubted(evidence: Evidence, finding: Finding) -> Finding:
    """Return the finding, with a sentence on how sure it is where its figures were disturbed.

    One that is unknown has no gain to expect, and nothing to be done about it.
    """
    share = _interrupted(evidence, finding)
    if finding.topic not in _TOPICS or finding.severity == "problem" or share <= _LIKELY:
        return finding
    unknown = share > _UNKNOWN
    sure = "Unknown" if unknown else "Likely only"
    told = msgspec.structs.replace(
        finding,
        text=f"{finding.text} {sure}: other programs interrupted {percent(share)} of these "
        "repetitions.",
        evidence={**finding.evidence, "preempted_fraction": share},
        gain=None,
    )
    if not unknown:
        return told
    return msgspec.structs.replace(told, severity="fact", advice=None, command=None)


def _interrupted(evidence: Evidence, finding: Finding) -> float:
    """Return the part of all repetitions of its figures in which a rank lost its processor."""
    points = [evidence.points[index] for index in dict.fromkeys(finding.points)]
    every = sum(point.samples + point.excluded for point in points)
    return sum(point.flags.get("preempted", 0) for point in points) / max(1, every)
