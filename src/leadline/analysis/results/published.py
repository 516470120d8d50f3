"""Published results beside the figures of a run."""

from collections.abc import Iterator, Mapping, Sequence

from leadline.core.errors import UserError
from leadline.core.units import parse_bytes
from leadline.model.plan import Value
from leadline.model.published import Claim, Held, Row
from leadline.model.summary import Jitter, PointSummary


def hold(
    claims: Sequence[Claim], figures: Sequence[PointSummary], jitter: Sequence[Jitter] = ()
) -> tuple[Held, ...]:
    """Return every row of every claim with what the figures give for it.

    Figures whose data were not verified give nothing.
    """
    scatter = {each.point: each.maximum_over_average for each in jitter}
    rows = ((index, claim, row) for index, claim in enumerate(claims) for row in claim.rows)
    return tuple(_check_claim(index, claim, row, figures, scatter) for index, claim, row in rows)


def _check_claim(
    index: int,
    claim: Claim,
    row: Row,
    figures: Sequence[PointSummary],
    scatter: Mapping[int, float],
) -> Held:
    against = [{**row.at, **claim.against}] if claim.against else []
    points = tuple(_only(figures, choice) for choice in ({**claim.of, **row.at}, *against))
    there = tuple(point for point in points if point is not None)
    found = _quantity(claim, there, figures, scatter) if len(there) == len(points) else None
    return Held(
        claim=index,
        text=claim.text,
        source=claim.source,
        quantity=claim.quantity,
        at=row.at,
        low=row.low,
        high=row.high,
        found=found,
        deviation=None if found is None else _outside(found, row.low, row.high),
        points=there,
        why=claim.why,
    )


def _only(figures: Sequence[PointSummary], choice: Mapping[str, Value]) -> int | None:
    """Return the index of the one figure that fits the choice; None for none and for several."""
    fitting = [index for index, each in enumerate(figures) if each.verified and fits(each, choice)]
    return fitting[0] if len(fitting) == 1 else None


def fits(figure: PointSummary, choice: Mapping[str, Value]) -> bool:
    """Tell whether a figure has all that the choice names, such as its benchmark and size."""
    known = dict(_values_of(figure))
    return all(name in known and _same(known[name], value) for name, value in choice.items())


def _values_of(figure: PointSummary) -> Iterator[tuple[str, Value | None]]:
    yield from figure.conditions.items()
    yield from figure.axes.items()
    for name in ("benchmark", "series", "processes", "nodes", "processes_per_node", "mpi"):
        yield name, getattr(figure, name)
    if "bytes" not in figure.axes:
        yield "bytes", figure.bytes


def _same(there: Value | None, wanted: Value) -> bool:
    if str(there) == str(wanted):
        return True
    try:
        return isinstance(there, int) and there == parse_bytes(str(wanted))
    except UserError:
        return False


def _quantity(
    claim: Claim,
    points: Sequence[int],
    figures: Sequence[PointSummary],
    scatter: Mapping[int, float],
) -> float | None:
    figure = figures[points[0]]
    if claim.quantity == "maximum_over_average":
        return scatter.get(points[0])
    if claim.quantity == "bandwidth_MBps":
        return figure.bandwidth_MBps
    if claim.quantity == "seconds":
        return figure.median_s
    other = figures[points[1]].median_s if len(points) > 1 else 0.0
    if other <= 0:
        return None
    ratio = figure.median_s / other
    return 1 - ratio if claim.quantity == "saving" else ratio


def _outside(found: float, low: float, high: float) -> float:
    return min(found - low, 0.0) + max(found - high, 0.0)
