"""The plan that measures a recorded program's communication, as a file that people read too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from leadline.core.toml import format_toml
from leadline.core.units import count
from leadline.explain.case import about_s, percent_of
from leadline.explain.replay import MESSAGES, Part, Replay

_WIDTH = 98
# As many as an interval over launches takes that assumes nothing.
_LAUNCHES = 6
# All figures of a launch together, and the longest and shortest of one.
_SECONDS, _LONGEST, _SHORTEST = 10.0, 0.5, 0.02


def format_plan(replay: Replay, program: str, run: str, mpi: str, file: str) -> str:
    """Return the text of the plan.

    `run` is where the program was recorded, `mpi` with what (empty where it is not known), and
    `file` how the plan will be called.
    """
    figures = len(replay.parts)
    seconds = float(f"{min(max(_SECONDS / figures, _SHORTEST), _LONGEST):.2g}")
    entries: dict[tuple[str, str], list[Part]] = {}
    for part in replay.parts:
        key = (part.measured.benchmark.name, str(part.placement))
        entries.setdefault(key, []).append(part)
    table = {
        "name": f"replay-{program}",
        "launches": _LAUNCHES,
        "placements": list(dict.fromkeys(str(part.placement) for part in replay.parts)),
        "roofs": False,
        "stopping": {"seconds": seconds},
        "entries": [_entry(parts) for parts in entries.values()],
        "program": {
            "name": program,
            "ranks": replay.ranks,
            **({"mpi": mpi} if mpi else {}),
            "calls": [
                {
                    "call": part.call,
                    "calls": part.calls,
                    "seconds": float(f"{part.seconds:.6g}"),
                    "of": part.choice,
                }
                for part in replay.parts
            ],
        },
    }
    where = f"{replay.ranks} ranks on {count(replay.nodes, 'node')}"
    head = f"The communication of {program}: {where}{mpi and f', with {mpi}'}, recorded in {run}."
    longest = about_s(_LAUNCHES * figures * seconds)
    comments = [head, *_measuring(longest, file), *_time(replay), *_notes(replay)]
    return format_toml(table, [line for text in comments for line in wrap(text, _WIDTH) or [""]])


def _measuring(longest: str, file: str) -> list[str]:
    return [
        "Measured with any MPI, it says what this program's calls take there. Measuring takes at "
        f"most {longest} for each MPI, beside the starts:",
        "",
        f"leadline run {file} --mpi all",
        "",
    ]


def _time(replay: Replay) -> Iterator[str]:
    """Yield for how much of the program's time the plan stands, and what it lacks."""
    whole, communication, waiting = (
        seconds / replay.ranks for seconds in (replay.seconds, replay.mpi_s, replay.waiting_s)
    )
    yield (
        f"Of {about_s(whole)} a rank was in MPI for {about_s(communication + waiting)}, of which "
        f"it waited for late ranks for {about_s(waiting)}. The calls below are "
        f"{percent_of(replay.measured_s, replay.mpi_s)} of the rest ({about_s(communication)}); "
        "their number and seconds are those of all ranks."
    )
    if replay.left:
        yield "Not in the plan:"
    for (call, why), seconds in replay.left.items():
        yield f"- {call}, {percent_of(seconds, replay.mpi_s)}: {why}"


def _notes(replay: Replay) -> Iterator[str]:
    """Yield what one must know of how calls are measured, where the program has such calls."""
    calls = {(part.call, part.measured.benchmark.title) for part in replay.parts}
    if any(call == MESSAGES for call, _ in calls):
        yield (
            "A message is counted once, and measured as one way of a ping-pong. The time of its "
            "MPI_Recv and MPI_Wait is shared out by number and bytes."
        )
    if any(call not in (MESSAGES, title) for call, title in calls):
        yield "A non-blocking collective is measured in its blocking form."


def _entry(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the entry of what is measured by one benchmark on one placement."""
    first = parts[0]
    axes = dict(first.axes)
    if first.measured.sized:
        sizes = sorted({part.bytes for part in parts if part.bytes is not None})
        axes = {first.measured.sized.name: ",".join(map(str, sizes))} | axes
    table = {
        "benchmarks": [first.measured.benchmark.name],
        "placements": [str(first.placement)],
        "axes": axes,
    }
    return {name: value for name, value in table.items() if value}
