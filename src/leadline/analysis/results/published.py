"""Published results, and the calls of a recorded program, beside the figures of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from leadline.analysis.stats.launches import Estimate, estimate
from leadline.core.errors import UserError
from leadline.core.units import parse_bytes
from leadline.model.plan import Value
from leadline.model.published import (
    Claim,
    Held,
    Program,
    ProgramCalls,
    ReplayedCalls,
    ReplayedProgram,
    Row,
)
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
    points = tuple(
        _only(enumerate(figures), choice) for choice in ({**claim.of, **row.at}, *against)
    )
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
        deviation=None if found is None else found - min(max(found, row.low), row.high),
        points=there,
        why=claim.why,
    )


def _only(figures: Iterable[tuple[int, PointSummary]], choice: Mapping[str, Value]) -> int | None:
    """Return the index of the one figure that fits the choice; None for none and for several."""
    fitting = [index for index, each in figures if each.verified and fits(each, choice)]
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


Way = tuple[str, tuple[tuple[str, str], ...]]


def replay(program: Program | None, figures: Sequence[PointSummary]) -> tuple[ReplayedProgram, ...]:
    """Return what the program's calls take with each MPI and knobs, in the order of the figures.

    Figures whose data were not verified give nothing.
    """
    if program is None:
        return ()
    ways = dict.fromkeys(map(_way, figures))
    return tuple(_replay(program, way, figures) for way in ways)


def _replay(program: Program, way: Way, figures: Sequence[PointSummary]) -> ReplayedProgram:
    verified = {at: each for at, each in enumerate(figures) if _way(each) == way and each.verified}
    points = [_only(verified.items(), calls.of) for calls in program.calls]
    there = [verified[point] for point in points if point is not None]
    whole = len(there) == len(points) > 0
    total = _total(program, there) if whole else None
    ends = total.interval if total else None
    mpi, knobs = way
    return ReplayedProgram(
        program=program.name,
        ranks=program.ranks,
        recorded_mpi=program.mpi,
        recorded_s=sum(each.seconds for each in program.calls) / program.ranks,
        mpi=mpi,
        knobs=dict(knobs),
        seconds=total.median if total else None,
        low_s=ends.low if ends else None,
        high_s=ends.high if ends else None,
        calls=tuple(
            _calls(program, *each, figures) for each in zip(program.calls, points, strict=True)
        ),
    )


def _total(program: Program, figures: Sequence[PointSummary]) -> Estimate:
    """Return the median over launches of all calls together, for an average rank.

    The figures of a placement share their launches, and what makes one launch slower makes all of
    its figures slower. So it is the launches' sums that are samples. Where figures have not as many
    launches each, as after one that failed, these are told by nobody, and there is no interval.
    """
    shares = [each.calls / program.ranks for each in program.calls]
    if len({len(figure.launch_medians_s) for figure in figures}) > 1:
        median = sum(share * figure.median_s for share, figure in zip(shares, figures, strict=True))
        return Estimate(median, None, "none: some launches lack figures")
    sums = np.array(shares) @ np.array([figure.launch_medians_s for figure in figures])
    return estimate([np.array([seconds]) for seconds in sums.tolist()])


def _calls(
    program: Program, calls: ProgramCalls, point: int | None, figures: Sequence[PointSummary]
) -> ReplayedCalls:
    share = calls.calls / program.ranks
    size = calls.of.get("bytes")
    return ReplayedCalls(
        call=calls.call,
        bytes=size if isinstance(size, int) else None,
        ranks=int(calls.of.get("processes", 0)),
        nodes=int(calls.of.get("nodes", 0)),
        calls=calls.calls,
        recorded_s=calls.seconds / program.ranks,
        seconds=None if point is None else share * figures[point].median_s,
        point=point,
    )


def _way(figure: PointSummary) -> Way:
    return figure.mpi, tuple(figure.knobs.items())
