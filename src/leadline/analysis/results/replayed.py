"""What a recorded program's calls take by the figures of a run, with each MPI and knobs."""

from collections.abc import Sequence

import numpy as np

from leadline.analysis.results.published import fits
from leadline.analysis.stats.launches import Estimate, estimate
from leadline.model.replayed import Program, ProgramCalls, ReplayedCalls, ReplayedProgram
from leadline.model.summary import PointSummary

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
    own = {at: each for at, each in enumerate(figures) if _way(each) == way and each.verified}
    points = [_only(own, calls) for calls in program.calls]
    there = [own[point] for point in points if point is not None]
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


def _only(figures: dict[int, PointSummary], calls: ProgramCalls) -> int | None:
    """Return the index of the one figure that the calls choose; None for none and for several."""
    fitting = [at for at, figure in figures.items() if fits(figure, calls.of)]
    return fitting[0] if len(fitting) == 1 else None


def _way(figure: PointSummary) -> Way:
    return figure.mpi, tuple(figure.knobs.items())
