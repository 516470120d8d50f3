"""The predicted time of the slowest task of a call on up to eight times the tasks.

Each task is taken to have the same work and the same disturbances as those measured. Of tasks that
are not independent, all of them together are the unit that is repeated.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.jitter_words import groups
from leadline.analysis.findings.words import name_of
from leadline.core.units import count, format_seconds
from leadline.model.summary import Finding, Jitter, PredictedMaximum

TOPIC = "steadiness"
ADVICE = (
    "Measure on more tasks before relying on the prediction: a shared link is in none from few "
    "tasks."
)
EVIDENCE = {
    "tasks": "tasks that were measured",
    "maximum_s": "mean time of the slowest task of a call",
    "more_tasks": "tasks of the prediction",
    "predicted_maximum_s": "predicted mean time of the slowest task",
    "predicted_maximum_*_s": "ends of its 95 % interval",
    "independent_maximum_s": "time of the slowest task if tasks were independent",
    "independent": "1 where the tasks measured are independent, 0 where not",
}
SOURCE = "J. Hague: Switch Jitter, ECMWF 2008 (maximum and average over tasks)"

# A prediction that changes less than this is no news.
_GROWS = 1.1
# Fewer tasks, or a machine that other programs share, show no tail to go by; nor does it reach far.
_FEWEST_TASKS, _QUIET, _FARTHEST = 8, 0.1, 8


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each benchmark and MPI whose calls would take longer on more tasks."""
    if evidence.run.load_during.get("busy_fraction", 0.0) > _QUIET:
        return
    growing = [
        one
        for one in evidence.jitter
        if one.tasks >= _FEWEST_TASKS and _near(one) and _growth(one) >= _GROWS
    ]
    for group in groups(evidence, growing):
        worst = max(group, key=_growth)
        far = _near(worst)[-1]
        low, high = format_seconds(far.ci95_low_s), format_seconds(far.ci95_high_s)
        yield Finding(
            severity="fact",
            text=f"The slowest of {count(worst.tasks, 'task')} takes "
            f"{format_seconds(worst.maximum_s)} in {name_of(evidence, worst.point)}. On "
            f"{far.tasks} tasks expect {format_seconds(far.maximum_s)} ({low} to {high}).",
            evidence={
                "tasks": float(worst.tasks),
                "maximum_s": worst.maximum_s,
                "more_tasks": float(far.tasks),
                "predicted_maximum_s": far.maximum_s,
                "predicted_maximum_low_s": far.ci95_low_s,
                "predicted_maximum_high_s": far.ci95_high_s,
                "independent_maximum_s": worst.independent_maximum_s,
                "independent": float(worst.independent),
            },
            advice="Measure on more tasks before relying on this.",
            points=tuple(one.point for one in group),
        )


def _near(jitter: Jitter) -> list[PredictedMaximum]:
    """Return the predictions that a few doublings reach."""
    return [one for one in jitter.predictions if one.tasks <= _FARTHEST * jitter.tasks]


def _growth(jitter: Jitter) -> float:
    return _near(jitter)[-1].maximum_s / jitter.maximum_s if jitter.maximum_s > 0 else 0.0
