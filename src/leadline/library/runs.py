"""Runs: measured from a plan, or opened by name, with their samples, results and findings."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.model.progress import Observer, Silent
from leadline.model.run import Run
from leadline.store.folder import RunFolder

if TYPE_CHECKING:
    from leadline.measure.run.preparation import Prepared
    from leadline.measure.run.run import More
    from leadline.model.plan import Plan
    from leadline.model.samples import SampleSource
    from leadline.model.summary import Analysis, Finding


@dataclass(frozen=True)
class OpenRun:
    """A run that can be read: a run folder, or a file of another program, which has no folder.

    `source` gives the samples point by point; one that was imported has none.
    """

    run: Run
    source: SampleSource
    folder: RunFolder | None = None

    @cached_property
    def analysis(self) -> Analysis:
        """What statistics and rules make of the samples."""
        from leadline.exchange.analysis import analysis_of

        return analysis_of(self.run, self.source)

    def keep_grade(self) -> None:
        """Write how far the figures can be trusted into the folder, where lists of runs read it.

        A run that is still being measured has no grade yet.
        """
        from leadline.analysis.verdict.trust import trust
        from leadline.store.overview import keep_grade

        if self.folder and self.run.outcome.state != "running":
            keep_grade(self.folder.path, trust(self.run, self.analysis))

    def samples(self) -> Table:
        """Return every sample of the run, a row each, in the columns of `samples.parquet`.

        Raises `UserError` for a run that was imported.
        """
        from leadline.store.parquet import connected, quoted, reading

        if self.folder is None or self.run.imported is not None:
            raise UserError(f"{self.run.run} was measured by another program: it has no samples")
        with self.folder.table() as file, reading(file), connected() as connection:
            found = connection.execute(f"SELECT * FROM read_parquet({quoted(file)})")
            return Table(found.fetchnumpy())

    def results(self) -> Table:
        """Return the result of each series of each point, in the columns of `figures-csv`."""
        from leadline.exchange.exports.figures import rows

        found = rows(self.run, self.analysis)
        names = dict.fromkeys(name for row in found for name in row)
        return Table({name: [row.get(name) for row in found] for name in names})

    def findings(self) -> tuple[Finding, ...]:
        """Return what the rules found, the gravest first."""
        return self.analysis.findings


def run(
    plan: Plan | str | Path,
    *,
    runs: Path | None = None,
    observer: Observer | None = None,
    doctor: Sequence[dict[str, Any]] = (),
) -> OpenRun:
    """Measure a plan, the shipped plan of that name or the one in a TOML file.

    `observer` is told how far it is, `doctor` what was examined before. The run is kept in the
    folder `runs` (runs in LEADLINE_HOME) however it ends: its `outcome` says how. Raises
    `UserError` for what cannot be measured.
    """
    from leadline.measure.plan.plans import read_plan
    from leadline.measure.run.preparation import prepare

    watched = observer or Silent()
    wanted = read_plan(str(plan)) if isinstance(plan, (str, Path)) else plan
    done = run_prepared(prepare(wanted, watched.doing), runs or paths.runs(), watched, doctor)
    done.keep_grade()
    return done


def run_prepared(
    prepared: Prepared,
    runs: Path,
    observer: Observer,
    doctor: Sequence[dict[str, Any]] = (),
    more: More | None = None,
) -> OpenRun:
    """Measure a plan that is prepared; as `run`. `more` may ask for further launches."""
    from leadline.measure.run.run import execute_in
    from leadline.store.samples import StoredSamples

    folder, _ = execute_in(runs, prepared, observer, list(doctor), more)
    # As everybody will read it, to the last digit.
    return OpenRun(folder.read(), StoredSamples(folder), folder)


def open(name: str | Path = "last", *, runs: Path | None = None) -> OpenRun:
    """Open a run by its name, its unique beginning, `last` or its path, or another program's file.

    Raises `UserError` where there is no such run.
    """
    from leadline.exchange.subject import subject

    return OpenRun(*subject(str(name), runs or paths.runs()))


@dataclass(frozen=True)
class Table:
    """Columns of equal length by name, of numbers or of objects; None stands for no value."""

    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`. Raises `UserError` where pandas is not installed."""
        return _import("pandas").DataFrame(dict(self.columns))

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`. Raises `UserError` where pyarrow is not installed."""
        return _import("pyarrow").table(dict(self.columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Give the table to whatever reads Arrow, such as polars or DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _import(package: str) -> Any:
    """Return an optional package. Raises `UserError` where it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{package} is not installed: `python -m pip install {package}`, or take the columns "
            "of the table, which are numpy's"
        ) from error
