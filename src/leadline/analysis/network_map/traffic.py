"""The messages of one point of a run, between ranks, with the time of each pair."""

from typing import NamedTuple

import numpy as np

from leadline.core.errors import UserError
from leadline.core.units import format_bytes
from leadline.model.plan import Point
from leadline.model.run import Launch, PointResult, Run
from leadline.model.samples import SampleSource, excluding_bits
from leadline.topology.rank_order.traffic import waits


class Message(NamedTuple):
    """What passes between two ranks in one operation: bytes, and 10^6 bytes/s while it does."""

    one: int
    other: int
    bytes: float
    rate: float


class Flows(NamedTuple):
    """All messages of one point, in the launch whose ranks they are. `size` is that of each."""

    point: Point
    launch: Launch
    size: int
    messages: tuple[Message, ...]
    measured_pairs: bool

    @property
    def figure(self) -> str:
        """The point in words."""
        chosen = {**self.point.axes, **self.point.knobs}
        words = [f"{name}={value}" for name, value in chosen.items() if name != "bytes"]
        return " ".join((self.point.benchmark, format_bytes(self.size), *words))


def flows(run: Run, samples: SampleSource) -> Flows:
    """Return the messages of the point of `run` with the most pairs, and of those the largest.

    Samples that name their partner are pairs with a time of their own. Otherwise a rank gets a
    message from each that it waits for, in the time of the whole exchange. Raises `UserError`
    where no point says who talks to whom: collectives choose that themselves.
    """
    found = []
    for launch in run.launches:
        results = {result.point: result for result in launch.points}
        for point in run.points:
            result = results.get(point.index)
            size = _size(result, launch) if result else 0
            if result is None or not size or len(launch.ranks) < 2:
                continue
            if result.neighbours:
                found.append((sum(map(len, result.neighbours)), size, -launch.launch, point.index))
            elif launch.processes == 2:
                found.append((1, size, -launch.launch, point.index))
    for _, size, launch_number, index in sorted(found, reverse=True):
        point = next(each for each in run.points if each.index == index)
        launch = next(each for each in run.launches if each.launch == -launch_number)
        result = next(each for each in launch.points if each.point == index)
        medians, whole = _times(run, samples, index, launch.launch)
        if medians:
            moved = _bytes_moved(result, size, len(medians))
            messages = tuple(
                Message(one, other, moved, moved / seconds / 1e6)
                for (one, other), seconds in sorted(medians.items())
            )
            return Flows(point, launch, size, messages, measured_pairs=True)
        if result.neighbours and whole:
            pairs = waits(result.neighbours)
            each = size * (max(result.messages, len(pairs)) / len(pairs))
            messages = tuple(
                Message(one, other, each, each / whole / 1e6)
                for one, other in sorted(pairs)
                if one != other
            )
            return Flows(point, launch, size, messages, measured_pairs=False)
    raise UserError(
        f"run {run.run} has no point that says which ranks talk to which: take one of pairs of "
        "ranks or of a halo exchange"
    )


def _size(result: PointResult, launch: Launch) -> int:
    """Return the bytes of one message, or their mean where messages differ."""
    if result.bytes is not None:
        return result.bytes
    if result.moved_bytes and result.messages:
        return round(result.moved_bytes * launch.nodes / result.messages)
    return 0


def _bytes_moved(result: PointResult, size: int, pairs: int) -> float:
    """Return what one pair moves in an operation, both ways together."""
    if not result.moved_bytes:
        return size
    return result.moved_bytes / (pairs if result.messages else 1)


def _times(
    run: Run, samples: SampleSource, point: int, launch: int
) -> tuple[dict[tuple[int, int], float], float]:
    """Return the median time of each pair in the launch, and that of the slowest rank of all."""
    columns = samples.columns(point)
    used = (columns["flags"] & excluding_bits(run.flags)) == 0
    used &= np.isfinite(columns["seconds"]) & (columns["seconds"] > 0)
    used &= columns["launch"] == launch
    seconds, rank, peer = (columns[name][used] for name in ("seconds", "rank", "peer"))
    if not len(seconds):
        return {}, 0.0
    of_pairs = peer >= 0
    medians: dict[tuple[int, int], float] = {}
    keys = np.stack([np.minimum(rank, peer), np.maximum(rank, peer)])[:, of_pairs]
    pairs, which = np.unique(keys, axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    parts = np.split(seconds[of_pairs][order], ends) if of_pairs.any() else []
    for (one, other), part in zip(pairs.T.tolist(), parts, strict=True):
        medians[one, other] = float(np.median(part))
    slowest = max(float(np.median(seconds[rank == each])) for each in np.unique(rank))
    return medians, slowest
