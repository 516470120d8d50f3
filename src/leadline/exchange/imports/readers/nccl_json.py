"""nccl-tests' `--output_file`: the same figures as its table, in JSON.

The keys: nccl-tests, `src/util.cu` (file version 3). Its times are in microseconds, bandwidths in
10^9 bytes/s.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePath

import msgspec

from leadline.core.units import count
from leadline.exchange.imports.printed import Place, reading_of
from leadline.exchange.imports.reader import Origin, Reader, Reading, Source
from leadline.exchange.imports.readers.nccl import COLLECTIVES, MEANING, figure_of
from leadline.exchange.imports.text import Notes, shortened
from leadline.model.summary import PointSummary


class _Device(msgspec.Struct):
    hostname: str


class _Config(msgspec.Struct):
    nthreads: int
    ngpus: int
    devices: list[_Device] = []


class _Head(msgspec.Struct):
    args: list[str]
    config: _Config
    nccl_version: int = 0
    start_time: str = ""


class _Half(msgspec.Struct):
    """One direction of a row; `nwrong` is None where data were not checked, `nan` a text."""

    bus_bw: float | str = 0.0
    time: float | str | None = None
    cpu_time: float | str | None = None
    nwrong: float | str | None = None


class _Row(msgspec.Struct):
    size: int
    type: str
    redop: str
    root: str | int
    out_of_place: _Half | None = None
    in_place: _Half | None = None


_RESULTS = re.compile(r'"results"\s*:\s*\[')
_DECODER = json.JSONDecoder()


def _read(source: Source) -> Reading:
    notes = Notes(source, "NCCL tests")
    return reading_of(_of_outputs(source.text, notes), notes, MEANING)


def _of_outputs(text: str, notes: Notes) -> Iterator[PointSummary]:
    """Yield the figures of each output in the file, one after the other."""
    line = 0
    while text := text.lstrip():
        # Outputs that follow each other in a line are others, too.
        line = max(notes.lines - text.count("\n"), line + 1)
        try:
            found, end = _DECODER.raw_decode(text)
            head = msgspec.convert(found, _Head)
            rows = list(found.get("results", ()))
        except (ValueError, AttributeError, msgspec.ValidationError) as error:
            yield from _of_damaged(text, line, str(error), notes)
            return
        yield from _figures(head, rows, line, notes)
        text = text[end:]


def _of_damaged(text: str, line: int, why: str, notes: Notes) -> Iterator[PointSummary]:
    """Yield the figures of an output up to where it is damaged, and say what is lost from there."""
    match = _RESULTS.search(text)
    try:
        if not match:
            raise ValueError(why)
        head = msgspec.json.decode(f"{text[: match.end()]}]}}", type=_Head)
    except (ValueError, msgspec.DecodeError) as error:
        notes.lost(line, f"what stands above its results cannot be read: {error}")
        return
    rows, at = [], match.end()
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
        try:
            row, end = _DECODER.raw_decode(text, at)
        except ValueError:
            break
        rows.append(row)
        at = end
    if text[at : at + 1] != "]":
        more = text.count('"size"', at)
        said = f"the file is damaged here, with {count(more, 'row')}: {shortened(text[at:])}"
        notes.lost(line + text.count("\n", 0, at), said)
    yield from _figures(head, rows, line, notes)


def _figures(
    head: _Head, rows: Sequence[object], line: int, notes: Notes
) -> Iterator[PointSummary]:
    name = PurePath(head.args[0] if head.args else "").name.removesuffix("_perf")
    if name not in COLLECTIVES:
        notes.lost(line, f"this is no test of nccl-tests: {shortened(name)}")
        return
    hosts = [one.hostname for one in head.config.devices]
    nodes = len(set(hosts)) or 1
    notes.placed = bool(hosts) and len(hosts) % nodes == 0
    ranks = len(hosts) or head.config.nthreads * head.config.ngpus
    place = Place(ranks, nodes if notes.placed else 1)
    version = divmod(head.nccl_version, 10000)
    software = [f"{version[0]}.{version[1] // 100}.{version[1] % 100}", *dict.fromkeys(hosts)]
    notes.origin = Origin(line, " ".join(head.args), " ".join(software))
    notes.when = notes.when or _when(head.start_time)
    notes.summaries[f"nccl/{name}"] = f"nccl/{name} of nccl-tests"
    for number, found in enumerate(rows, start=1):
        try:
            row = msgspec.convert(found, _Row)
        except msgspec.ValidationError as error:
            notes.lost(line, f"row {number} of its results cannot be read: {error}")
            continue
        axes = {"type": row.type, "redop": row.redop or "none", "root": str(row.root)}
        for buffers, half in (("separate", row.out_of_place), ("in_place", row.in_place)):
            time = _number(half.time) or _number(half.cpu_time) if half else None
            if half and time:
                at = {**axes, "buffers": buffers}
                bus = _number(half.bus_bw) or 0.0
                yield figure_of(name, at, row.size, time, bus, place, not half.nwrong)
            elif half:
                notes.lost(line, f"row {number} of its results has no time {buffers}")


def _number(value: float | str | None) -> float | None:
    return value if isinstance(value, float) and math.isfinite(value) else None


def _when(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").isoformat()
    except ValueError:
        return ""


READER = Reader(
    name="nccl-json",
    title="nccl-tests, --output_file",
    recognises=lambda source: source.text[:1] == "{" and '"nccl_version":' in source.text,
    read=_read,
)
