"""What the slowest task of a call would take if there were more tasks."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.jitter_words import groups
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, number
from leadline.model.summary import Finding, Jitter, PredictedMaximum

TOPIC = "steadiness"
ADVICE = (
    "Measure on more tasks before relying on it: what all tasks share, such as a link, is in no"
    " prediction from few."
)

# A prediction that changes less than this is no news.
_GROWS = 1.1
# Of the numbers of tasks predicted, the one told first; the last is told too.
_NEAR = 4


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each benchmark and MPI whose calls would take longer on more tasks."""
    growing = [one for one in evidence.jitter if _growth(one) >= _GROWS]
    for group in groups(evidence, growing):
        worst = max(group, key=_growth)
        near, far = worst.predictions[min(_NEAR, len(worst.predictions)) - 1], worst.predictions[-1]
        yield Finding(
            severity="fact",
            text=f"The slowest task of a call of {name_of(evidence, worst.point)} takes "
            f"{format_seconds(worst.maximum_s)} on {worst.tasks} tasks. On {near.tasks} it would "
            f"take {_format_maximum(near)}, on {far.tasks} {_format_maximum(far)}, if each has "
            f"the same work and the same disturbances. {_validity(worst)}",
            evidence={
                "tasks": float(worst.tasks),
                "maximum_s": worst.maximum_s,
                "more_tasks": float(far.tasks),
                "predicted_maximum_s": far.maximum_s,
                "predicted_maximum_low_s": far.ci95_low_s,
                "predicted_maximum_high_s": far.ci95_high_s,
                "independent_maximum_s": worst.independent_maximum_s,
            },
            advice=ADVICE,
            points=tuple(one.point for one in group),
        )


def _growth(jitter: Jitter) -> float:
    last = jitter.predictions[-1].maximum_s if jitter.predictions else 0.0
    return last / jitter.maximum_s if jitter.maximum_s > 0 else 0.0


def _format_maximum(predicted: PredictedMaximum) -> str:
    low, high = format_seconds(predicted.ci95_low_s), format_seconds(predicted.ci95_high_s)
    return f"{format_seconds(predicted.maximum_s)} ({low} to {high})"


def _validity(jitter: Jitter) -> str:
    ratio = number(jitter.maximum_s / jitter.independent_maximum_s)
    if jitter.independent:
        return (
            f"Tasks are taken as independent, as those measured are: their slowest takes {ratio} "
            "times what it would if they were."
        )
    return (
        f"The tasks measured are not independent (their slowest takes {ratio} times what it would "
        f"if they were), so that {jitter.tasks} tasks together are taken as the unit of which "
        "there are more."
    )
