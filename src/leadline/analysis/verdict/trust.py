"""The grade of a run's figures: how much was disturbed, and how far its launches agree."""

from statistics import median

from leadline.core.units import count, percent
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.model.verdict import Trust

# Up to these a run is good, up to those fair: of its repetitions, of how far launches lie apart,
# and of half an interval's width.
_GOOD = {"disturbed": 0.02, "apart": 0.10, "precision": 0.05}
_FAIR = {"disturbed": 0.10, "apart": 0.40, "precision": 0.20}
_DISTURBING = ("preempted", "late_start", "migrated")


def trust(run: Run, analysis: Analysis) -> Trust:
    """Return how far the figures of a run can be trusted; unknown where it has no samples."""
    taken = sum(point.samples + point.excluded for point in analysis.points)
    behind = tuple(
        index for index, finding in enumerate(analysis.findings) if finding.topic == "trust"
    )
    if run.imported or not taken:
        what = "printed by another program" if run.imported else "none was measured"
        return Trust(grade="unknown", text=f"no samples: {what}", findings=behind)
    measures = {
        "disturbed": _disturbed(analysis) / taken,
        "apart": _typical([_apart(point) for point in analysis.points]),
        "precision": _typical([_precision(point) for point in analysis.points]),
    }
    wrong = sum(not point.verified for point in analysis.points)
    crowded = any(point.oversubscribed for point in analysis.points)
    # One launch does not tell whether the next one agrees; a simulated one has no other.
    told = bool(run.platform) or measures["apart"] is not None
    words = ["simulated times are exact"] if run.is_exact else _words(measures)
    if not told:
        words.append("one launch does not tell whether others agree")
    if wrong:
        words.insert(0, f"{count(wrong, 'figure')} with wrong data")
    if crowded:
        words.insert(0, "more processes than cores")
    if run.outcome.state != "complete":
        words.insert(0, f"the run is {run.outcome.state}")
    poor = wrong or crowded or not _within(measures, _FAIR)
    good = _within(measures, _GOOD) and measures["precision"] is not None and told
    return Trust(
        grade="poor" if poor else "good" if good and run.outcome.state == "complete" else "fair",
        text=", ".join(words),
        disturbed_fraction=measures["disturbed"],
        between_launches=measures["apart"],
        precision=measures["precision"],
        findings=behind,
    )


def _words(measures: dict[str, float | None]) -> list[str]:
    disturbed, apart, precision = (measures[name] for name in ("disturbed", "apart", "precision"))
    words = [f"{percent(disturbed)} of the samples disturbed"]
    if apart is not None:
        words.append(f"launches agree within {percent(apart)}")
    if precision is not None:
        words.append(f"medians known to {percent(precision)}")
    else:
        words.append("too few launches for intervals")
    return words


def _disturbed(analysis: Analysis) -> int:
    return sum(
        max((point.flags.get(flag, 0) for flag in _DISTURBING), default=0)
        for point in analysis.points
    )


def _within(measures: dict[str, float | None], limits: dict[str, float]) -> bool:
    return all(value is None or value <= limits[name] for name, value in measures.items())


def _apart(point: PointSummary) -> float | None:
    medians = point.launch_medians_s
    if len(medians) < 2 or point.median_s <= 0:
        return None
    return (max(medians) - min(medians)) / point.median_s


def _precision(point: PointSummary) -> float | None:
    if point.interval is None or point.median_s <= 0:
        return None
    return (point.interval[1] - point.interval[0]) / 2 / point.median_s


def _typical(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
