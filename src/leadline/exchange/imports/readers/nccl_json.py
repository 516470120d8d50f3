"""nccl-tests' `--output_file`: the same figures as its table, in JSON.

The keys: nccl-tests, `src/util.cu` (file version 3). Its times are in microseconds, bandwidths in
10^9 bytes/s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath

import msgspec

from leadline.core.errors import UserError
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
    """One direction of a row; `nwrong` is None where data were not checked."""

    bus_bw: float
    time: float | None = None
    cpu_time: float | None = None
    nwrong: float | None = None


class _Row(msgspec.Struct):
    size: int
    type: str
    redop: str
    root: str | int
    out_of_place: _Half | None = None
    in_place: _Half | None = None


_RESULTS = '"results":['


def _read(source: Source) -> Reading:
    notes = Notes(source, "NCCL tests")
    above, found, rows = source.text.partition(_RESULTS)
    try:
        head = msgspec.json.decode(f"{above}{_RESULTS}]}}", type=_Head)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        why = f"what stands above its results cannot be read: {error}"
        raise UserError(
            f"{source.path} has no figure of nccl-tests that can be read: {why}"
        ) from None
    return reading_of(_figures(head, rows if found else "", notes), notes, MEANING)


def _figures(head: _Head, rows: str, notes: Notes) -> Iterator[PointSummary]:
    name = PurePath(head.args[0] if head.args else "").name.removesuffix("_perf")
    if name not in COLLECTIVES:
        notes.lost(1, f"this is no test of nccl-tests: {shortened(name)}")
        return
    major, rest = divmod(head.nccl_version, 10000)
    version = f"{major}.{rest // 100}.{rest % 100}"
    notes.origin = Origin(1, " ".join(head.args), version)
    notes.when = _when(head.start_time)
    notes.summaries[f"nccl/{name}"] = f"nccl/{name} of nccl-tests"
    hosts = [one.hostname for one in head.config.devices]
    nodes = len(set(hosts)) or 1
    notes.placed = bool(hosts) and len(hosts) % nodes == 0
    ranks = len(hosts) or head.config.nthreads * head.config.ngpus
    place = Place(ranks, nodes if notes.placed else 1)
    for row in _rows(rows, notes):
        axes = {"type": row.type, "redop": row.redop or "none", "root": str(row.root)}
        for buffers, half in (("separate", row.out_of_place), ("in_place", row.in_place)):
            time = (half.time or half.cpu_time or 0.0) if half else 0.0
            if half and time > 0:
                at = {**axes, "buffers": buffers}
                yield figure_of(name, at, row.size, time, half.bus_bw, place, not half.nwrong)


def _rows(text: str, notes: Notes) -> Iterator[_Row]:
    """Yield the rows up to where the file is damaged, and say what is lost from there on."""
    decoder, at = json.JSONDecoder(), 0
    while text[at : at + 1] not in ("]", ""):
        try:
            found, end = decoder.raw_decode(text, at)
            yield msgspec.convert(found, _Row)
        except (ValueError, msgspec.ValidationError):
            break
        at = end + 1 if text[end : end + 1] == "," else end
    if text[at : at + 1] != "]":
        more = text.count('"size":', at)
        notes.lost(1, f"the file is damaged from here on, with {more} rows: {shortened(text[at:])}")


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
