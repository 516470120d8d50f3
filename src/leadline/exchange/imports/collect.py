"""Files of other programs to one run without samples, and what such a run holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core.errors import UserError
from leadline.core.units import format_bytes
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.readers import (
    hpcc,
    imb,
    mpip,
    nccl,
    nccl_json,
    netpipe,
    osu,
    reprompi,
    table,
)
from leadline.exchange.imports.same_figures import Same, merge_figures, output_axis
from leadline.exchange.imports.text import untagged
from leadline.model.description import Benchmark, Series
from leadline.model.imported import Import, Remark
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.recorded import ProgramProfile, Recorded
from leadline.model.run import Outcome, Run
from leadline.model.summary import PointSummary

# All formats that can be read, by name.
READERS = tuple(
    one.READER for one in (table, hpcc, imb, mpip, nccl, nccl_json, netpipe, osu, reprompi)
)

_ONE_NODE = (
    "it does not say on how many nodes the processes ran: taken as one, unless "
    "--place NODESxPROCESSES_PER_NODE says otherwise"
)
_NO_LIBRARY = "it does not name the MPI library: it stands as {}, unless --mpi NAME names it"
# Programs that are named after the library that they measure, or that need not measure an MPI.
_LIBRARIES = {"nccl", "netpipe"}
_NO_RANKS = (
    "it does not say how many processes there were: written as 1x0, unless "
    "--place NODESxPROCESSES_PER_NODE says it"
)


def import_files(
    paths: Sequence[Path],
    form: str = "",
    mapping: Path | None = None,
    name: str = "",
    mpi: str = "",
    places: Sequence[Placement] = (),
    same: Same = "told",
) -> Run:
    """Return the figures of all files as one run, read as the format `form` or by their looks.

    The same figure in several tables is a figure over as many launches where they are of one
    command, which `same` may say. With two or more of them there is an interval. `mpi` is the
    library where a file does not name it; a figure whose nodes are not known is put on the one of
    `places` that has its number of processes. The report of a profiler is a recording of a
    program, one to a run.
    Raises `UserError` where a file cannot be read, is in no known format, or does not tell whether
    the same figure in it is a launch.
    """
    readings = [_apply_options(one, mpi, places) for one in _readings(paths, form, mapping)]
    profile = _profile(readings)
    figures, outputs = merge_figures(readings, same)
    program, recorded = "", None
    if profile:
        program = Path(profile.command[0]).name if profile.command else ""
        recorded = Recorded(
            command=profile.command,
            mpi=mpi,
            ranks=len(profile.ranks),
            nodes=max(len(profile.hosts), 1),
        )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    when = next((one.when for one in readings if one.when), "")
    remarks = tuple(remark for reading in readings for remark in reading.remarks)
    outcome = Outcome(state="complete")
    if damage := next((remark for remark in remarks if remark.kind == "lost"), None):
        message = f"{damage.file}:{damage.line}: {damage.text}"
        outcome = Outcome(state="incomplete", message=message)
    return Run(
        run=name or paths[0].stem,
        leadline=__version__,
        plan=Plan(entries=(), name=name or program),
        started=when or now,
        ended=now,
        outcome=outcome,
        benchmarks=_merge_benchmarks(readings, outputs),
        imported=Import(
            program=", ".join(dict.fromkeys(one.program for one in readings)),
            files=tuple(str(path) for path in paths),
            figures=figures,
            tables=tuple(table for reading in readings for table in reading.tables),
            remarks=remarks,
            bounds=tuple(dict.fromkeys(bound for one in readings for bound in one.bounds)),
            source="; ".join(dict.fromkeys(one.source for one in readings if one.source)),
            when=when,
            profile=profile,
        ),
        explained=recorded,
    )


def _profile(readings: Sequence[Reading]) -> ProgramProfile | None:
    """Return the profile that a file is, None of figures. Raises `UserError` for several."""
    found = [one for one in readings if one.profile]
    if found and len(readings) > 1:
        raise UserError(
            f"{found[0].file} is a profile of a whole program: import each file by itself"
        )
    return found[0].profile if found else None


def _readings(paths: Sequence[Path], form: str, mapping: Path | None) -> list[Reading]:
    """Return what the files hold; one without anything sound is an error only if it is alone."""
    found: list[Reading] = []
    lost: list[Remark] = []
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise UserError(f"{twice} is named twice: each file is read once")
    for path in paths:
        reader, source = _reader(path, form, mapping)
        try:
            found.append(reader.read(source))
        except UserError as error:
            if len(paths) == 1:
                raise
            lost.append(Remark(file=str(path), line=0, text=str(error)))
    if not found:
        raise UserError(f"nothing in these {len(paths)} files can be read: {lost[0].text}")
    found[-1] = msgspec.structs.replace(found[-1], remarks=(*found[-1].remarks, *lost))
    return found


def _reader(path: Path, form: str, mapping: Path | None) -> tuple[Reader, Source]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    source = Source(path=path, text=untagged(text), mapping=mapping)
    if form and form not in {one.name for one in READERS}:
        raise UserError(f"format {form!r} is none of {', '.join(one.name for one in READERS)}")
    chosen = [one for one in READERS if (one.name == form if form else one.recognises(source))]
    if not chosen:
        names = ", ".join(f"{one.name} ({one.title})" for one in READERS)
        raise UserError(
            f"{source.path} is in no format that leadline reads: there are {names}; a table needs "
            "a mapping (--mapping FILE)"
        )
    return chosen[0], source


def _apply_options(reading: Reading, mpi: str, places: Sequence[Placement]) -> Reading:
    figures = [_name_library(one, _program(reading), mpi) for one in reading.figures]
    unnamed = {one.mpi for one in figures if one.mpi == _program(reading)} - _LIBRARIES
    reading = _assume(reading, [_NO_LIBRARY.format(", ".join(unnamed))] * bool(unnamed))
    if reading.placed:
        return msgspec.structs.replace(reading, figures=tuple(figures))
    placed = [_place_figure(one, places) for one in figures]
    open_ends = [one.processes for one, known in placed if not known]
    assumed = [_ONE_NODE] * any(open_ends) + [_NO_RANKS] * (not all(open_ends))
    reading = _assume(reading, assumed)
    return msgspec.structs.replace(reading, figures=tuple(one for one, _ in placed))


def _assume(reading: Reading, texts: Sequence[str]) -> Reading:
    remarks = (Remark(file=reading.file, line=0, text=text, kind="assumed") for text in texts)
    return msgspec.structs.replace(reading, remarks=(*reading.remarks, *remarks))


def _program(reading: Reading) -> str:
    return reading.program.split()[0].lower() if reading.program else ""


def _name_library(figure: PointSummary, program: str, mpi: str) -> PointSummary:
    """Return the figure under the library's name, where the file only names its own program."""
    unnamed = figure.mpi in ("", program)
    return msgspec.structs.replace(figure, mpi=mpi) if mpi and unnamed else figure


def _place_figure(figure: PointSummary, places: Sequence[Placement]) -> tuple[PointSummary, bool]:
    """Return the figure on the placement with its number of processes, and whether there is one."""
    fitting = [one for one in places if figure.processes in (0, one.processes)]
    if not fitting or (not figure.processes and len(fitting) > 1):
        return figure, False
    place = fitting[0]
    moved = msgspec.structs.replace(
        figure,
        processes=place.processes,
        nodes=place.nodes,
        processes_per_node=place.processes_per_node,
    )
    return moved, True


def _merge_benchmarks(
    readings: Sequence[Reading], outputs: Mapping[str, Sequence[str]]
) -> list[Benchmark]:
    """Return each benchmark once: what several programs mean by a series stands side by side.

    `outputs` name those of a benchmark whose figures are kept apart.
    """
    found: dict[str, Benchmark] = {}
    for one in (each for reading in readings for each in reading.benchmarks):
        found[one.name] = _both(found[one.name], one) if one.name in found else one
    for name, labels in outputs.items():
        axes = (*found[name].axes, output_axis(labels))
        found[name] = msgspec.structs.replace(found[name], axes=axes)
    return list(found.values())


def _both(one: Benchmark, other: Benchmark) -> Benchmark:
    meanings: dict[str, dict[str, None]] = defaultdict(dict)
    for series in (*one.series, *other.series):
        meanings[series.name] |= dict.fromkeys([series.definition])
    axes = {axis.name: axis for axis in (*other.axes, *one.axes)}
    return msgspec.structs.replace(
        one,
        axes=tuple(axes.values()),
        series=tuple(
            Series(name=name, definition="; ".join(texts)) for name, texts in meanings.items()
        ),
    )


def contents(imported: Import) -> list[tuple[str, str, str, str, str, int]]:
    """Return a row for each series of each benchmark: what it is, where, sizes, and how many."""
    groups: dict[tuple[str, str], list[PointSummary]] = defaultdict(list)
    for figure in imported.figures:
        groups[figure.benchmark, figure.series].append(figure)
    rows = []
    for (benchmark, series), figures in groups.items():
        kinds = dict.fromkeys(one.statistic for one in figures)
        places = dict.fromkeys(f"{one.nodes}x{one.processes_per_node}" for one in figures)
        known = [one.bytes for one in figures if one.bytes is not None]
        ends = sorted({min(known), max(known)}) if known else []
        sizes = " to ".join(map(format_bytes, ends))
        rows.append((benchmark, series, ", ".join(kinds), ", ".join(places), sizes, len(figures)))
    return rows
