"""The plan that measures a recorded program's communication, as a file that people read too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from leadline.core.units import format_bytes
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
    seconds = _seconds_of_a_figure(len(replay.parts))
    lines = [f"# {line}".rstrip() for line in _head(replay, program, run, mpi, file)]
    places = list(dict.fromkeys(str(part.placement) for part in replay.parts))
    lines += [
        f"name = {_text(f'replay-{program}')}",
        f"launches = {_LAUNCHES}",
        f"placements = {_list(places)}",
        "roofs = false",
        "",
        "[stopping]",
        f"seconds = {seconds:g}",
    ]
    for parts in _entries(replay.parts):
        lines += ["", *_entry(parts)]
    lines += ["", *_program(replay, program, mpi)]
    return "\n".join(lines) + "\n"


def _seconds_of_a_figure(figures: int) -> float:
    return float(f"{min(max(_SECONDS / figures, _SHORTEST), _LONGEST):.2g}")


def _head(replay: Replay, program: str, run: str, mpi: str, file: str) -> Iterator[str]:
    """Yield the comment: of what the plan is, for how much it stands, and what it lacks."""
    ranks = replay.ranks
    where = f"{ranks} ranks on {replay.nodes} node{'s' if replay.nodes > 1 else ''}"
    with_mpi = f", with {mpi}" if mpi else ""
    yield from wrap(
        f"The communication of {program}: {where}{with_mpi}, recorded in {run}.", _WIDTH
    )
    longest = _LAUNCHES * len(replay.parts) * _seconds_of_a_figure(len(replay.parts))
    yield from wrap(
        "Measured with any MPI, it says what this program's calls take there. Measuring takes at "
        f"most {about_s(longest)} for each MPI, beside the starts:",
        _WIDTH,
    )
    yield ""
    yield f"  leadline run {file} --mpi all"
    yield ""
    own, waiting = replay.mpi_s / ranks, replay.waiting_s / ranks
    yield from wrap(
        f"Of {about_s(replay.seconds / ranks)} a rank was in MPI for {about_s(own + waiting)}, of "
        f"which it waited for late ranks for {about_s(waiting)}. For "
        f"{percent_of(replay.measured_s, replay.mpi_s)} of the rest ({about_s(own)}) these are "
        "measured; calls are those of all ranks, seconds those of an average one:",
        _WIDTH,
    )
    yield ""
    rows: list[tuple[str, ...]] = [("call", "place", "size", "calls", "time", "measured by")]
    rows += [_row(part, ranks) for part in replay.parts]
    yield from _columns(rows)
    yield ""
    for note in _notes(replay):
        yield from wrap(note, _WIDTH)
        yield ""
    if replay.left:
        yield "Not in the plan:"
        yield ""
        yield from _columns(
            [(each.call, percent_of(each.seconds, replay.mpi_s), each.why) for each in replay.left]
        )
        yield ""


def _row(part: Part, ranks: int) -> tuple[str, ...]:
    return (
        part.call,
        str(part.placement),
        "-" if part.bytes is None else format_bytes(part.bytes),
        str(part.calls),
        about_s(part.seconds / ranks),
        part.measured.benchmark.name,
    )


def _notes(replay: Replay) -> Iterator[str]:
    """Yield what one must know of how calls are measured, where the program has such calls."""
    if any(part.call == MESSAGES for part in replay.parts):
        yield (
            "A message is counted once, and measured as one way of a ping-pong. The time of its "
            "MPI_Recv and MPI_Wait is shared out by number and bytes."
        )
    if any(_is_nonblocking(part) for part in replay.parts):
        yield "A non-blocking collective is measured in its blocking form."


def _is_nonblocking(part: Part) -> bool:
    return part.call not in (MESSAGES, part.measured.benchmark.title)


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, own)) for own in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()


def _entries(parts: Iterable[Part]) -> list[list[Part]]:
    """Return the parts that one entry measures: of one benchmark, on one placement."""
    found: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        found.setdefault((part.measured.benchmark.name, str(part.placement)), []).append(part)
    return list(found.values())


def _entry(parts: Sequence[Part]) -> Iterator[str]:
    first = parts[0]
    axes = dict(first.axes)
    if first.measured.sized:
        sizes = sorted({part.bytes for part in parts if part.bytes is not None})
        axes = {first.measured.sized.name: ",".join(map(str, sizes))} | axes
    yield "[[entries]]"
    yield f"benchmarks = {_list([first.measured.benchmark.name])}"
    yield f"placements = {_list([str(first.placement)])}"
    if axes:
        yield f"axes = {_table(axes)}"


def _program(replay: Replay, program: str, mpi: str) -> Iterator[str]:
    yield "[program]"
    yield f"name = {_text(program)}"
    yield f"ranks = {replay.ranks}"
    if mpi:
        yield f"mpi = {_text(mpi)}"
    yield "calls = ["
    for part in replay.parts:
        own = {
            "call": part.call,
            "calls": part.calls,
            "seconds": float(f"{part.seconds:.6g}"),
            "of": part.choice,
        }
        yield f"  {_table(own)},"
    yield "]"


def _table(values: Mapping[str, object]) -> str:
    pairs = [
        f"{name} = {_table(value) if isinstance(value, Mapping) else _text(value)}"
        for name, value in values.items()
    ]
    return f"{{ {', '.join(pairs)} }}"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: object) -> str:
    """Return a text or number as TOML has it, which is as JSON does."""
    return json.dumps(value, ensure_ascii=False)
