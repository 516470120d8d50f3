"""What a reader of another program's output is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.model.description import Benchmark
from leadline.model.imported import Bound, Remark, Table
from leadline.model.recorded import ProgramProfile
from leadline.model.summary import PointSummary


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A file to read: its path as it was given, and its text.

    `mapping` is the file that says what columns mean, where the user named one.
    """

    path: Path
    text: str
    mapping: Path | None = None


class Origin(NamedTuple):
    """From which table of a file a figure is: its title's line, what stands above it, its program.

    `above` holds the command, hosts or modules as far as the file has them, `software` the version
    of the benchmark; two tables are launches of one figure only where both are the same. Times in
    it are rounded by up to `rounding_s`.
    """

    line: int = 0
    above: str = ""
    software: str = ""
    rounding_s: float = 0.0


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one file holds; `remarks` name each line that could not be read, and why.

    `benchmarks` describe the figures' benchmarks: their axes, series and definitions. `placed`
    says that the file itself tells on which nodes the processes ran. The report of a profiler has
    no figures but a `profile`. `origins` has the table of each figure, or is empty.
    """

    program: str
    file: str = ""
    placed: bool = True
    figures: tuple[PointSummary, ...] = ()
    origins: tuple[Origin, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()
    tables: tuple[Table, ...] = ()
    remarks: tuple[Remark, ...] = ()
    bounds: tuple[Bound, ...] = ()
    source: str = ""
    when: str = ""
    profile: ProgramProfile | None = None


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """One format. `recognises` looks at a file and says whether it is in this format.

    `read` takes what is sound, however the file is damaged, and remarks on the rest. It raises
    `UserError` only where nothing of the file can be used.
    """

    name: str
    title: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Reading]
