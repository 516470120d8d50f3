"""Files of other programs to one run without samples."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.analyse import launches
from leadline.analyse.summary import identity_of_figure
from leadline.errors import UserError
from leadline.imports.reader import Reader, Reading, Source
from leadline.model.imported import Import
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import PointSummary
from leadline.plugins import plugins

_READERS = "leadline.imports.readers"


def import_files(
    paths: Sequence[Path], form: str = "", mapping: Path | None = None, name: str = ""
) -> Run:
    """Return the figures of all files as one run, read as the format `form` or by their looks.

    The same figure in several files is a figure over as many launches: each file is one start of
    the program, and with two or more of them there is an interval. Raises `UserError` where a file
    cannot be read or is in no known format.
    """
    readings = [_reading(_source(path, mapping), form) for path in paths]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    benchmarks = {one.name: one for reading in readings for one in reading.benchmarks}
    tables = tuple(table for reading in readings for table in reading.tables)
    figures = _merged(readings)
    damaged = tuple(remark for reading in readings for remark in reading.remarks)
    return Run(
        run=name or paths[0].stem,
        leadline=__version__,
        plan=Plan(entries=(), name=name),
        started=next((one.when for one in readings if one.when), now),
        ended=now,
        outcome=Outcome(
            state="incomplete" if damaged else "complete",
            message=f"{damaged[0].file}:{damaged[0].line}: {damaged[0].text}" if damaged else "",
        ),
        benchmarks=list(benchmarks.values()),
        imported=Import(
            program=", ".join(dict.fromkeys(one.program for one in readings)),
            files=tuple(str(path) for path in paths),
            figures=figures,
            tables=tables,
            remarks=damaged,
            bounds=tuple(dict.fromkeys(bound for one in readings for bound in one.bounds)),
            source="; ".join(dict.fromkeys(one.source for one in readings if one.source)),
            when=next((one.when for one in readings if one.when), ""),
        ),
    )


def _source(path: Path, mapping: Path | None) -> Source:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    return Source(path=path, text=text, mapping=mapping)


def _reading(source: Source, form: str) -> Reading:
    readers: list[Reader] = plugins(_READERS, "READER")
    chosen = [one for one in readers if (one.name == form if form else one.recognises(source))]
    if not chosen:
        known = ", ".join(f"{one.name} ({one.title})" for one in readers)
        raise UserError(
            f"{source.path} is in no format that leadline reads: there are {known}; a table needs "
            "a mapping (--mapping FILE)"
        )
    return chosen[0].read(source)


def _merged(readings: Sequence[Reading]) -> tuple[PointSummary, ...]:
    """Return the figures of all files, those that differ in nothing made one."""
    found: dict[object, list[PointSummary]] = defaultdict(list)
    for reading in readings:
        for figure in reading.figures:
            found[identity_of_figure(figure), figure.series, figure.bytes].append(figure)
    return tuple(_one(figures) for figures in found.values())


def _one(figures: Sequence[PointSummary]) -> PointSummary:
    import numpy as np

    if len(figures) == 1:
        return figures[0]
    times = [figure.median_s for figure in figures]
    estimate = launches.estimate([np.array([time]) for time in times])
    rates = [figure.bandwidth_MBps for figure in figures if figure.bandwidth_MBps]
    return msgspec.structs.replace(
        figures[0],
        launches=len(figures),
        median_s=estimate.median,
        ci95_low_s=estimate.interval.low,
        ci95_high_s=estimate.interval.high,
        ci95_method=f"{estimate.method}, a file each",
        p90_s=None,
        p99_s=None,
        max_s=max((one.max_s for one in figures if one.max_s is not None), default=None),
        min_s=min((one.min_s for one in figures if one.min_s is not None), default=None),
        mean_s=None,
        bandwidth_MBps=statistics.median(rates) if rates else None,
        launch_medians_s=tuple(times),
    )
