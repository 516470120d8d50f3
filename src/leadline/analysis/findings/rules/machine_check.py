"""Properties of the machine that disturb measurements, as the doctor found them before the run."""

from collections.abc import Iterator

import msgspec

from leadline.analysis.findings.evidence import Evidence
from leadline.model.summary import CheckResult, Finding

TOPIC = "trust"
ADVICE = "Follow the advice of the check, which `leadline doctor` shows again."
EVIDENCE = {"*": "the numbers of the check"}

_SEVERITY = {"bad": "notice", "warn": "fact"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each check that went badly, a fact for each that warns."""
    for result in evidence.run.doctor:
        check = msgspec.convert(result, CheckResult)
        if check.status in _SEVERITY:
            yield Finding(
                severity=_SEVERITY[check.status],
                text=f"{check.name}: {check.observed.rstrip('.')}. {check.meaning}",
                evidence=check.numbers,
                advice=check.advice,
                command=check.command,
            )
