"""What lists say of each run: its overview, and the grade of trust that was written beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from leadline.core.errors import UserError
from leadline.model.recorded import Recorded
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.model.verdict import Trust
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder, run_paths

FILE = "trust.json"


def keep_grade(folder: Path, trust: Trust) -> None:
    """Write the grade into a run's folder, if it is not there and can be written."""
    if read_grade(folder) == trust:
        return
    # A run that one may only read is shown all the same.
    with suppress(OSError, UserError), replacing(folder / FILE) as temporary:
        temporary.write_bytes(msgspec.json.encode(trust))


def read_grade(folder: Path) -> Trust | None:
    """Return the grade that was written, None where there is none yet."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Trust)
    except (OSError, msgspec.MsgspecError):
        return None


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a line. `state` is an outcome's, `unreadable`, or `damaged` where only the run's
    samples cannot be read; `points` counts those of the plan, `finished` how many of them at least
    one launch finished. Of an import they count figures. `trust` is the grade of its figures, empty
    where it was not made yet.
    """

    run: str
    folder: str
    started: str | None = None
    ended: str | None = None
    state: str
    message: str
    benchmarks: tuple[str, ...] = ()
    mpi: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    launches: int = 0
    points: int = 0
    finished: int = 0
    trust: str = ""
    size_bytes: int


def overviews(runs: Path) -> Iterator[tuple[Overview, Run | None]]:
    """Yield an overview of each run in the folder `runs`, oldest first, with the run itself.

    There is no run where its folder cannot be read; the overview's message says why.
    """
    for path in run_paths(runs):
        yield overview(path)


def overview(path: Path) -> tuple[Overview, Run | None]:
    """Return the overview of the run in the folder `path` with the run, as `overviews` does."""
    try:
        run = RunFolder(path).read()
    except UserError as error:
        return unreadable(path, str(error)), None
    return _overview(path, run), run


def unreadable(path: Path, message: str, state: str = "unreadable") -> Overview:
    """Return the overview of a folder that cannot be read, and why."""
    size = sum(file.lstat().st_size for file in path.rglob("*") if not file.is_dir())
    return Overview(run=path.name, folder=str(path), state=state, message=message, size_bytes=size)


def _overview(path: Path, run: Run) -> Overview:
    found = unreadable(path, run.outcome.message, run.outcome.state)
    found = replace(found, started=run.started, ended=run.ended)
    if run.explained:
        return replace(found, **_of_recording(run, run.explained))
    grade = read_grade(path)
    found = replace(found, trust=grade.grade if grade else "")
    if run.imported:
        return replace(found, **_of_figures(run.imported.figures))
    if damage := RunFolder(path).find_damage(run):
        found = replace(found, state="damaged", message=damage)
    return replace(
        found,
        benchmarks=_different(point.benchmark for point in run.points),
        mpi=_different(point.mpi for point in run.points),
        placements=_different(str(point.placement) for point in run.points),
        launches=len(run.launches),
        points=len(run.points),
        finished=len({result.point for launch in run.launches for result in launch.points}),
    )


def _different(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _of_figures(figures: Sequence[PointSummary]) -> dict[str, Any]:
    """Return what is different of an import, whose figures are its points."""
    return {
        "benchmarks": _different(one.benchmark for one in figures),
        "mpi": _different(one.mpi for one in figures),
        "placements": _different(f"{one.nodes}x{one.processes_per_node}" for one in figures),
        "launches": max((one.launches for one in figures), default=0),
        "points": len(figures),
        "finished": len(figures),
    }


def _of_recording(run: Run, recorded: Recorded) -> dict[str, Any]:
    """Return what is different of a recording: its program stands where runs have benchmarks.

    The message of one that is complete is what it says of the program's time.
    """
    nodes = recorded.nodes
    profiler = run.imported.program if run.imported else "explain"
    even = nodes and recorded.ranks % nodes == 0
    return {
        "message": run.outcome.message or recorded.headline,
        "benchmarks": (f"{profiler} {run.plan.name}".rstrip(),),
        "mpi": (recorded.mpi,) if recorded.mpi else (),
        "placements": (f"{nodes}x{recorded.ranks // nodes}",) if even else (),
        "launches": 1,
    }
