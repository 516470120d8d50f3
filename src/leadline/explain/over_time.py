"""How a program's time changes while it runs: its owners by slice, and ranks that turn slow.

A rank turns slow where its computing rises against that of the others: in one part of the run by
more than the noise of its slices allows. Ranks compute as they come to calls, so that a rank with
more to do in each step stands out at once, whatever the others wait. The limits are those of the
table in docs/explanation/program-time.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from leadline.explain.owners import RankTime
from leadline.explain.recording import BEGIN_AND_END, Rank, Recording

Floats = NDArray[np.float64]

_MOST_SLICES, _LEAST_SLICES = 32, 8
# A part of the run has so many slices, and so has the rest.
_LEAST_PART = 2
# From so much longer on, in a part that costs so much of the time, and so clear of the noise.
_LONGER, _WORTH, _CLEAR = 1.15, 0.02, 7.0
# Of so many slices one after the other noise is looked at: longer, it is a change.
_LASTS = 4
# Of slices in which hardly anybody computes nothing is known; noise is never less than that.
_COMPUTES, _LEAST_NOISE = 0.02, 0.01
# So many ranks are looked at, those that change most.
_LOOKED_AT = 64
# Of what a rank computes longer: what explains so much of it is its cause.
_EXPLAINS, _BY_QUOTA, _BY_CLOCK = 0.5, 0.3, 0.4

Cause = Literal["work", "clock", "quota", "another program", "hypervisor", "unknown"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Ranks that compute `times` as long in a part of the run as in the rest, beside the others.

    `node` is that whose ranks these all are, where there are others. `from_s` and `until_s` are
    seconds since MPI had begun; null is the begin or the end of the run. The `cause` is what the
    kernel and the core say: they had less of a core for a quota's sake, another program's or the
    hypervisor's, its clock was lower, or none of these, so that they had more to do; `unknown`
    where they say nothing. Of that part of the run a hypervisor took the part `stolen`.
    """

    ranks: tuple[int, ...]
    node: int | None = None
    host: str = ""
    from_s: float | None
    until_s: float | None
    times: float
    cause: Cause
    stolen: float = 0.0


class OverTime(msgspec.Struct, frozen=True, kw_only=True):
    """The owners of an average rank's time in slices of equal length, as parts of a slice.

    The slices are those of the first `seconds` since MPI had begun, until the first rank came to
    its end. `waiting` is null where it is not known by slice: `moving` has it then. Of a
    `change`, `changed` is what its ranks compute, and `others` what the median of the rest does.
    """

    seconds: float
    computing: tuple[float, ...]
    waiting: tuple[float, ...] | None
    moving: tuple[float, ...]
    change: Change | None = None
    changed: tuple[float, ...] = ()
    others: tuple[float, ...] = ()


class _Curves(NamedTuple):
    """What each rank has done in each slice, in seconds; shapes (R, S). `width` is of a slice."""

    width: float
    mpi: Floats
    waiting: Floats
    queued: Floats
    throttled: Floats
    probe: Floats
    stolen: Floats

    @property
    def computing(self) -> Floats:
        return np.maximum(self.width - self.mpi, 0.0)


class _Part(NamedTuple):
    """A part of the run in which a rank computes longer, by a factor of exp(`excess`).

    That is so many times the `noise` that it is `clear`; `apart` says whether most of its slices
    are above most of the rest.
    """

    begin: int
    end: int
    excess: float
    clear: float
    rest: float
    noise: float
    apart: bool


def over_time(recording: Recording, ranks: Sequence[RankTime]) -> OverTime | None:
    """Return how the time of a recording changes, None where it is too short for slices.

    `ranks` are the owners of its time.
    """
    curves = _curves(recording, ranks)
    if curves is None:
        return None
    computing, width = curves.computing, curves.width
    change, changed, others = _change(recording, curves)

    def mean(values: Floats) -> tuple[float, ...]:
        return tuple(np.round(values.mean(axis=0) / width, 4).tolist())

    waiting = np.clip(curves.waiting, 0.0, curves.mpi)
    tells = recording.nodes == 1 and all(
        rank.marks is not None and rank.marks.waiting_s is not None for rank in recording.ranks
    )
    return OverTime(
        seconds=width * computing.shape[1],
        computing=mean(computing),
        waiting=mean(waiting) if tells else None,
        moving=mean(curves.mpi - waiting if tells else curves.mpi),
        change=change,
        changed=changed,
        others=others,
    )


def _curves(recording: Recording, ranks: Sequence[RankTime]) -> _Curves | None:
    marked = [rank.marks for rank in recording.ranks]
    if not marked or any(marks is None for marks in marked):
        return None
    slices = min(_MOST_SLICES, *(len(marks.at_s) for marks in marked if marks is not None))
    seconds = min(rank.seconds - rank.before_s - rank.after_s for rank in recording.ranks)
    if slices < _LEAST_SLICES or seconds <= 0:
        return None
    edges = np.linspace(0.0, seconds, slices + 1)
    each = [_of_rank(rank, time, edges) for rank, time in zip(recording.ranks, ranks, strict=True)]
    return _Curves(float(edges[1]), *(np.array(rows) for rows in zip(*each, strict=True)))


def _of_rank(rank: Rank, time: RankTime, edges: Floats) -> tuple[Floats, ...]:
    """Return the rank's rows of the curves: sums are straight between two marks."""
    marks = rank.marks
    assert marks is not None
    rows = [row for row in rank.rows if row.function.name in BEGIN_AND_END]
    is_end = [row.function.name.lower().endswith("finalize") for row in rows]
    begins = [row for row, ends in zip(rows, is_end, strict=True) if not ends]
    ends = [row for row, ends in zip(rows, is_end, strict=True) if ends]
    until = rank.seconds - rank.after_s
    kept = (marks.at_s > rank.before_s) & (marks.at_s < until)
    at = np.concatenate([[0.0], marks.at_s[kept] - rank.before_s, [until - rank.before_s]])

    def grown(values: Floats, at_begin: float, at_end: float) -> Floats:
        sums = np.concatenate([[at_begin], values[kept], [at_end]])
        found: Floats = np.diff(np.interp(edges, at, sums))
        return found

    def last(values: Floats) -> float:
        return float(values[kept][-1]) if kept.any() else 0.0

    stolen = np.zeros_like(marks.at_s) if marks.stolen_s is None else marks.stolen_s

    return (
        grown(
            marks.mpi_s,
            sum(row.seconds for row in begins),
            time.mpi_s - sum(row.seconds for row in ends),
        ),
        grown(
            marks.mpi_s if marks.waiting_s is None else marks.waiting_s,
            sum(row.waiting_s for row in begins),
            time.waiting_s - sum(row.waiting_s for row in ends),
        ),
        grown(marks.queued_s, 0.0, last(marks.queued_s)),
        grown(marks.throttled_s, 0.0, last(marks.throttled_s)),
        np.interp((edges[1:] + edges[:-1]) / 2, marks.at_s - rank.before_s, marks.probe_s),
        grown(stolen, 0.0, last(stolen)),
    )


def _change(
    recording: Recording, curves: _Curves
) -> tuple[Change | None, tuple[float, ...], tuple[float, ...]]:
    """Return the clearest change, what its ranks compute by slice, and what the others do."""
    computing, width = curves.computing, curves.width
    beside = _beside_others(computing)
    known = (computing.min(axis=0) >= 0) & (np.median(computing, axis=0) >= _COMPUTES * width)
    if len(computing) < 2 or known.sum() < _LEAST_SLICES:
        return None, (), ()
    places = np.flatnonzero(known)
    found = _clear_parts(beside[:, places])
    if not found:
        return None, (), ()
    # Of two ranks one is longer in a part where the other is in the rest: one rest is even.
    two = len(computing) == 2
    first = max(found, key=lambda rank: -abs(found[rank].rest) if two else found[rank].clear)
    part = found[first]
    begin, end = int(places[part.begin]), int(places[part.end - 1]) + 1
    inside = np.zeros(computing.shape[1], dtype=bool)
    inside[begin:end] = True
    times = float(np.exp(part.excess))
    longer_s = float(computing[first, inside].sum()) * (1 - 1 / times)
    if longer_s < _WORTH * width * computing.shape[1]:
        return None, (), ()
    alike = _alike(beside[:, places], part)
    late = np.isin(np.arange(len(computing)), [*alike, first])
    rest = computing[~late] if (~late).any() else computing
    ranks = [recording.ranks[place] for place in np.flatnonzero(late)]
    nodes = {rank.node for rank in ranks}
    whole = sum(rank.node in nodes for rank in recording.ranks) == len(ranks)
    change = Change(
        ranks=tuple(rank.rank for rank in ranks),
        node=ranks[0].node if len(nodes) == 1 and whole and recording.nodes > 1 else None,
        host=ranks[0].host if len(nodes) == 1 else "",
        from_s=begin * width if begin else None,
        until_s=end * width if end < computing.shape[1] else None,
        times=times,
        cause=_cause(recording.ranks[first], curves, first, inside, times, longer_s),
        stolen=round(float(curves.stolen[first, inside].mean()) / width, 4),
    )
    shares = (computing[late].mean(axis=0), np.median(rest, axis=0))
    changed, others = (tuple(np.round(each / width, 4).tolist()) for each in shares)
    return change, changed, others


def _beside_others(computing: Floats) -> Floats:
    """Return the logarithm of what each rank computes by what the others do; shape (R, S)."""
    safe = np.maximum(computing, 1e-12)
    others = safe[::-1] if len(safe) == 2 else np.median(safe, axis=0)
    found: Floats = np.log(safe / others)
    return found


def _smooth(values: Floats) -> Floats:
    return (values[:, :-1] + values[:, 1:]) / 2


def _noise(left: Floats) -> float:
    """Return how far slices scatter, as the error of their mean shows it, by their covariances.

    What alternates from slice to slice averages out, what lasts for several does not (Newey and
    West 1987).
    """
    count = len(left)
    variance = float(left @ left)
    for lag in range(1, min(_LASTS, count)):
        variance += 2 * (1 - lag / _LASTS) * float(left[:-lag] @ left[lag:])
    return max(math.sqrt(max(variance, 0.0) / count), _LEAST_NOISE)


def _part(values: Floats) -> _Part:
    """Return the part of the run that is most clearly above the rest, as if noise were 1."""
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    begins, ends = np.triu_indices(count + 1, _LEAST_PART)
    size = ends - begins
    fits = count - size >= _LEAST_PART
    begins, ends, size = begins[fits], ends[fits], size[fits]
    inside = (sums[ends] - sums[begins]) / size
    rest = (sums[-1] - sums[ends] + sums[begins]) / (count - size)
    weight = 1 / np.sqrt(1 / size + 1 / (count - size))
    best = int(np.argmax((inside - rest) * weight))
    begin, end = int(begins[best]), int(ends[best])
    outside = np.concatenate([values[:begin], values[end:]])
    left = values - rest[best]
    left[begin:end] = values[begin:end] - inside[best]
    excess = float(inside[best] - rest[best])
    return _Part(
        begin=begin,
        end=end,
        excess=excess,
        clear=excess * float(weight[best]),
        rest=float(rest[best]),
        noise=_noise(left),
        apart=bool(np.quantile(values[begin:end], 0.25) > np.quantile(outside, 0.75)),
    )


def _clear_parts(beside: Floats) -> dict[int, _Part]:
    """Return the parts in which ranks compute longer than noise explains, by their row.

    The noise is the rank's own, and at least what is usual among the ranks: the more there are, the
    more by chance one of them stands out.
    """
    spread = np.ptp(_smooth(beside), axis=1)
    looked_at = np.argsort(-spread, kind="stable")[:_LOOKED_AT]
    parts = {int(rank): _part(beside[rank]) for rank in looked_at}
    room = 1 + math.log10(len(beside)) / 3
    usual = room * float(np.median([part.noise for part in parts.values()]))
    found = {}
    for rank, part in parts.items():
        clear = part.clear / max(part.noise, usual)
        if part.apart and part.excess >= np.log(_LONGER) and clear >= _CLEAR:
            found[rank] = part._replace(clear=clear)
    return found


def _alike(beside: Floats, part: _Part) -> list[int]:
    """Return the ranks that compute longer in the same part, by half as much at least."""
    outside = np.ones(beside.shape[1], dtype=bool)
    outside[part.begin : part.end] = False
    excess = beside[:, ~outside].mean(axis=1) - beside[:, outside].mean(axis=1)
    return np.flatnonzero(excess >= max(part.excess / 2, np.log(_LONGER))).tolist()


def _cause(
    rank: Rank, curves: _Curves, row: int, inside: NDArray[np.bool_], times: float, longer_s: float
) -> Cause:
    if rank.queued_s is None:
        return "unknown"

    def more(values: Floats) -> float:
        """Return the seconds in the part beyond what there was in the rest."""
        return float((values[row, inside] - values[row, ~inside].mean()).sum())

    lost_s = more(curves.queued)
    quota_s = more(np.minimum(curves.throttled, curves.queued))
    if max(lost_s, quota_s) >= _EXPLAINS * longer_s:
        return "quota" if quota_s >= _BY_QUOTA * lost_s else "another program"
    if more(curves.stolen) >= _EXPLAINS * longer_s:
        return "hypervisor"
    probe = np.median(curves.probe[row, inside]) / np.median(curves.probe[row, ~inside])
    return "clock" if probe - 1 >= _BY_CLOCK * (times - 1) else "work"
