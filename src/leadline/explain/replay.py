"""A recorded program's communication as benchmarks, sizes and ranks, which any MPI can be asked.

A collective has the benchmark of the same function, on as many ranks and nodes; a message the
one-way time of a ping-pong. Of all calls of a class of sizes the mean size is measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.explain.bounds import MESSAGE, Shape, shape_of
from leadline.explain.measured import Chosen, benchmark_for
from leadline.explain.recording import (
    BOTH,
    COLLECTIVES,
    COMPLETE,
    FILES,
    ONE_SIDED,
    RECEIVE,
    SEND,
    SET_UP,
    START,
    SYNCHRONISE,
    TEST,
    Recording,
    Row,
)
from leadline.model.description import Benchmark, Value
from leadline.model.placement import Placement

# As people call them, whichever function sends one.
MESSAGES = "messages"
# What takes less than the rest of this part of the time is left out: a plan shall end soon.
_ENOUGH = 0.99
# A plan with more figures is not measured in a minute.
_MOST = 60
# A message takes about as long as so many bytes more in another one.
_BYTES_OF_A_CALL = 8192
_SENDS = (
    "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend", "MPI_Isendrecv", "MPI_Isendrecv_replace"
)  # fmt: skip
_RECEIVES = ("MPI_Irecv", "MPI_Imrecv")
_RESTARTS = ("MPI_Start", "MPI_Startall")
_NONBLOCKING = "MPI_I"
_WHY = {
    SET_UP: "makes or frees what the program uses",
    FILES: "reads or writes files",
    ONE_SIDED: "whose puts wait for which call is not recorded",
    SYNCHRONISE: "whose puts wait for which call is not recorded",
}


# Seconds of all ranks in calls for which nothing is measured, by call and why.
Left = dict[tuple[str, str], float]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one function and size, and what is measured for them.

    `bytes` is None where no data move. `calls` and `seconds` are of all ranks, without waiting.
    """

    call: str
    measured: Chosen
    placement: Placement
    bytes: int | None
    calls: int
    seconds: float

    @property
    def choice(self) -> dict[str, Value]:
        """What chooses the figure of one of these calls in a run."""
        found: dict[str, Value] = {"benchmark": self.measured.benchmark.name}
        if len(self.measured.benchmark.series) > 1:
            found["series"] = self.measured.series
        if self.bytes is not None:
            found["bytes"] = self.bytes
        place = self.placement
        return found | {"processes": place.processes, "nodes": place.nodes} | self.axes

    @property
    def axes(self) -> dict[str, str]:
        """The values of the benchmark's axes beside the size."""
        return {name: value for name, value in self.measured.axes.items() if value != ""}


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured for a program, and what is not, the longest first each.

    Seconds are those of all ranks together, without waiting but for `waiting_s`.
    """

    ranks: int
    nodes: int
    seconds: float
    waiting_s: float
    parts: tuple[Part, ...]
    left: Left

    @property
    def measured_s(self) -> float:
        """The time for which something is measured."""
        return sum(part.seconds for part in self.parts)

    @property
    def mpi_s(self) -> float:
        """All time in MPI without waiting."""
        return self.measured_s + sum(self.left.values())


def replay(recording: Recording, benchmarks: Sequence[Benchmark]) -> Replay:
    """Return the benchmarks and sizes that measure the calls of a recorded program.

    Raises `UserError` where no benchmark measures any of them.
    """
    if recording.api != "MPI":
        raise UserError(
            f"the recording is of {recording.api}: --replay measures calls of MPI, show it with "
            "`leadline explain`"
        )
    left: Left = defaultdict(float)
    parts = _parts(_operations(recording, left), benchmarks, left)
    if not parts:
        seen = sorted({row.function.name for row in recording.rows})
        raise UserError(
            "the recording has no call of two ranks or more that a benchmark measures, "
            f"only {', '.join(seen) or 'none at all'}: record the program on more ranks"
        )
    parts = _longest(parts, left)
    longest = sorted(left.items(), key=lambda each: -each[1])
    return Replay(
        ranks=len(recording.ranks),
        nodes=recording.nodes,
        seconds=sum(rank.seconds for rank in recording.ranks),
        waiting_s=sum(min(row.waiting_s, row.seconds) for row in recording.rows),
        parts=tuple(parts),
        left={each: seconds for each, seconds in longest if seconds},
    )


class _Operation(msgspec.Struct):
    """Collectives or messages of one class of sizes; `is_async` those that another call ends."""

    call: str
    shape: Shape | None
    is_async: bool
    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0

    @property
    def weight(self) -> float:
        return self.calls * _BYTES_OF_A_CALL + self.bytes


def _operations(recording: Recording, left: Left) -> list[_Operation]:
    """Return what was sent or started, with the time of the calls that received or ended it."""
    found: dict[tuple[str, Shape | None, int], _Operation] = {}
    ending = 0.0
    inside, outside = recording.sent(lambda peer: peer.messages)
    # All of them where nobody knows.
    away = outside / (inside + outside) if inside + outside else 1.0
    for row in recording.rows:
        function = row.function
        if function.kind in (RECEIVE, COMPLETE, TEST) or function.name in _RECEIVES:
            ending += row.own_s
            continue
        shapes = _shapes(row, away)
        if not shapes:
            left[function.name, _why(row)] += row.own_s
            continue
        for shape, part in shapes.items():
            is_message = shape is not None and shape.function == MESSAGE
            call = MESSAGES if is_message else function.name
            is_async = is_message or function.kind == START
            key = (call, shape, row.size_class)
            operation = found.setdefault(key, _Operation(call, shape, is_async))
            operation.calls += round(part * row.calls)
            operation.bytes += round(part * row.bytes)
            operation.seconds += part * row.own_s
    operations = [each for each in found.values() if each.calls]
    started = [each for each in operations if each.is_async]
    whole = sum(each.weight for each in started)
    for each in started:
        each.seconds += ending * each.weight / whole
    if ending and not started:
        left["MPI_Recv, MPI_Wait", "what they received or ended is not seen"] += ending
    return operations


def _shapes(row: Row, away: float) -> dict[Shape | None, float]:
    """Return of what shape the row's operations are, with the part of them that has it.

    The shape is None for what is started again: it may be anything.
    """
    function = row.function
    if function.kind in (SEND, BOTH) or function.name in _SENDS:
        if row.nodes == 1:
            return {Shape(MESSAGE, 2, 1): 1.0}
        parts = {Shape(MESSAGE, 2, 1): 1 - away, Shape(MESSAGE, 2, 2): away}
        return {shape: part for shape, part in parts.items() if part}
    if function.name in _RESTARTS:
        return {None: 1.0}
    if function.kind in COLLECTIVES:
        shape = shape_of(row)
        return {shape: 1.0} if shape else {}
    if function.kind == START and function.name.startswith(_NONBLOCKING) and row.comm_ranks > 1:
        blocking = f"MPI_{function.name.removeprefix(_NONBLOCKING).capitalize()}"
        return {Shape(blocking, row.comm_ranks, row.nodes): 1.0}
    return {}


def _why(row: Row) -> str:
    if row.function.kind in COLLECTIVES:
        return "on one rank"
    return _WHY.get(row.function.kind, "moves no data itself")


def _parts(
    operations: Sequence[_Operation], benchmarks: Sequence[Benchmark], left: Left
) -> list[Part]:
    """Return what is measured for the operations, those of one size together."""
    found: dict[tuple[str, str, Placement, int | None], Part] = {}
    for each in operations:
        shape = each.shape
        chosen = benchmark_for(shape.function, benchmarks) if shape else None
        if shape is None or chosen is None or shape.ranks % shape.nodes:
            why = "no benchmark measures it"
            if shape is None:
                why = "what it starts again is not recorded"
            elif chosen:
                why = f"{shape.ranks} ranks are not spread evenly over {shape.nodes} nodes"
            left[each.call, why] += each.seconds
            continue
        part = Part(
            call=each.call,
            measured=chosen,
            placement=Placement(shape.nodes, shape.ranks // shape.nodes),
            bytes=_size(each.bytes / each.calls, chosen),
            calls=each.calls,
            seconds=each.seconds,
        )
        key = (part.call, chosen.benchmark.name, part.placement, part.bytes)
        if same := found.get(key):
            part = msgspec.structs.replace(
                part, calls=part.calls + same.calls, seconds=part.seconds + same.seconds
            )
        found[key] = part
    return list(found.values())


def _size(size: float, chosen: Chosen) -> int | None:
    """Return the size that the benchmark takes next to a size, None where it takes none."""
    axis = chosen.sized
    if axis is None:
        return None
    low, high = int(axis.minimum or 0), axis.maximum
    allowed = max(round(size / axis.multiple_of) * axis.multiple_of, low)
    return min(allowed, int(high)) if high is not None else allowed


def _longest(parts: Sequence[Part], left: Left) -> list[Part]:
    """Return the parts on which nearly all of the time goes."""
    ordered = sorted(parts, key=lambda part: (-part.seconds, part.call, part.bytes or 0))
    whole = sum(part.seconds for part in ordered)
    kept: list[Part] = []
    for part in ordered:
        if len(kept) == _MOST or (kept and sum(o.seconds for o in kept) >= _ENOUGH * whole > 0):
            left[part.call, "sizes that take little time"] += part.seconds
        else:
            kept.append(part)
    return kept
