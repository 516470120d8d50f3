"""Deliveries: results that time until the target knows that it may use the data."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.model.description import Delivery
from leadline.model.summary import PointSummary

ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"


def deliveries(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """Yield the index and the side of each figure that its benchmark declares to be one."""
    declared = {b.name: b.delivery for b in evidence.run.benchmarks if b.delivery}
    for index, point in enumerate(evidence.points):
        delivery = declared.get(point.benchmark)
        if delivery and _counts(point, delivery):
            yield index, delivery.sides


def is_delivery(evidence: Evidence, point: PointSummary) -> bool:
    """Tell whether a figure's benchmark declares it to be one."""
    declared = (b.delivery for b in evidence.run.benchmarks if b.name == point.benchmark)
    return any(delivery and _counts(point, delivery) for delivery in declared)


def _counts(point: PointSummary, delivery: Delivery) -> bool:
    known = all(str(point.axes.get(axis)) in values for axis, values in delivery.where.items())
    return point.series == delivery.series and point.bytes is not None and known
