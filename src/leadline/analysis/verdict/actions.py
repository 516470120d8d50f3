"""What a run shows that costs most, with the command that cures or proves it."""

import math
from collections.abc import Sequence

from leadline.core.units import count
from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding
from leadline.model.verdict import Action, Trust

_MOST = 3
# A gain whose interval reaches 1, or that has none, weighs less; so does a cost without a cure.
_UNSURE, _NO_CURE = 0.3, 0.5
# What moves less is no action.
_LEAST = math.log(1.05)


def actions(analysis: Analysis) -> tuple[Action, ...]:
    """Return at most three actions: what is wrong first, then by time lost or gained.

    Findings about the measuring are none: the grade of trust has them. Findings that one command
    cures are one action.
    """
    weighed = [
        (weight, index, finding)
        for index, finding in enumerate(analysis.findings)
        if (weight := _weight(finding)) >= _LEAST
    ]
    groups: dict[object, list[tuple[float, int, Finding]]] = {}
    for each in sorted(weighed, key=lambda one: (-one[0], one[1])):
        groups.setdefault(_cure(each[2], each[1]), []).append(each)
    return tuple(_action([(i, finding) for _, i, finding in own]) for own in groups.values())[
        :_MOST
    ]


def _weight(finding: Finding) -> float:
    """Return the logarithm of the factor lost or gained, times how sure it is."""
    if finding.severity == "problem":
        return math.inf
    if finding.topic == "trust" or finding.severity != "notice":
        return 0.0
    if gain := finding.gain:
        sure = gain.low is not None and gain.low > 1
        return math.log(max(gain.times, 1.0)) * (1.0 if sure else _UNSURE)
    if finding.effect:
        return abs(math.log(finding.effect)) * (_NO_CURE if finding.command else _UNSURE)
    return 0.0


def _cure(finding: Finding, index: int) -> object:
    """Return what is the same for findings of one kind which one command cures."""
    words = (finding.command or "").split()
    if finding.gain and words[1:2] == ["tune"]:
        return "tune"
    return finding.kind if finding.severity != "problem" else (finding.kind, index)


def _action(own: Sequence[tuple[int, Finding]]) -> Action:
    first = own[0][1]
    more = f" ({count(len(own) - 1, 'more finding')} of this kind)" if len(own) > 1 else ""
    return Action(
        text=first.text + more,
        commands=(first.command,) if first.command else (),
        gain=first.gain,
        findings=tuple(index for index, _ in own),
    )


def next_step(
    run: Run, analysis: Analysis, trust: Trust, urgent: Sequence[Action]
) -> tuple[str, str]:
    """Return one sentence and one command: what to do after reading this."""
    if run.imported:
        return "Every finding on these figures:", f"leadline findings {run.run}"
    if trust.grade == "poor":
        return "First find out what disturbs this machine:", "leadline doctor"
    if any(action.gain for action in urgent):
        return "Prove the largest gain first, with the command above. All findings:", (
            "leadline findings last"
        )
    return "Which choices of this MPI are faster:", "leadline ask collectives"
