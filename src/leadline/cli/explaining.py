"""Recordings of programs: found, held against what was measured, and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click
import msgspec

from leadline.cli.options import print_json
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.exchange.subject import Subject, subject
from leadline.output.terminal.text import one_line
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import is_library_of
from leadline.store.folder import RunFolder

if TYPE_CHECKING:
    from leadline.explain.job_file import Job
    from leadline.explain.recording import Recording
    from leadline.explain.report import Explained
    from leadline.model.profile import Rule
    from leadline.model.recorded import Recorded
    from leadline.model.run import Run

_MATRIX = "sent.csv"
# A matrix of more ranks is no file that anybody opens.
_MOST_RANKS = 4096
NO_MPI = (
    "no process called MPI_Init or shmem_init (sessions alone are not seen): nothing is known of "
    "where the time went"
)


# The file in which a process says why it was not observed: `runtime/explain/preload/start.cpp`.
_UNOBSERVED = "unobserved"


def why_none(folder: Path, mpi: str) -> str:
    """Return why `folder` has no recording of a program that had the observer of `mpi`."""
    try:
        why, _, of = (folder / _UNOBSERVED).read_text(errors="replace").partition(": ")
    except OSError:
        return NO_MPI
    said = one_line(of)
    if why == "other library":
        fits = [each.name for each in find_installations() if is_library_of(each, of)]
        cure = f": name it with --mpi {fits[0]}" if fits else ", for which leadline has no build"
        return f"nothing was recorded: the program's MPI is not {mpi} but {said[:60]}{cure}"
    if why == "not loaded":
        return (
            f"nothing was recorded: the process loaded {said}, which is not {mpi}'s: name its MPI "
            "with --mpi"
        )
    if why == "not called":
        return (
            f"nothing was recorded: a process loaded {said} and called MPI_Init past leadline, "
            "as by dlsym, or not at all"
        )
    if why == "not begun":
        return (
            f"nothing was recorded: the process that loaded {said} did not call MPI_Init "
            "(sessions alone are not seen)"
        )
    return NO_MPI


class Kept(NamedTuple):
    """Where a recording lies, its name for the user, and how and when its program was started.

    Of a job it is a file, which has been read.
    """

    folder: Path
    name: str
    program: str
    recorded: Recorded | None = None
    started: str = ""
    job: Job | None = None

    @property
    def mpi(self) -> str:
        """The installation's name, empty where it is not known."""
        return self.recorded.mpi if self.recorded else ""

    def read(self) -> Recording:
        """Return the recording. Raises `UserError` where it holds no rank."""
        from leadline.explain.reading import read_recording

        if self.job:
            return self.job.recording
        recording = read_recording(self.folder)
        if recording is None:
            raise UserError(f"{self.name}: {NO_MPI}")
        return recording


def kept_recording(word: str, runs: Path) -> Kept:
    """Return the recording that `word` names.

    It is a run of `leadline explain`, a folder of its files, or the file of a job. Raises
    `UserError` where it is none of them.
    """
    if kept := _recorded_here(word):
        return kept
    folder = RunFolder.open(word, runs)
    run = folder.read()
    if run.explained is None or run.imported:
        raise UserError(
            f"run {run.run} is no recording of a program: `leadline explain -- COMMAND` makes one"
        )
    return Kept(folder.recording, run.run, run.plan.name, run.explained, run.started)


def _recorded_here(word: str) -> Kept | None:
    from leadline.explain.job_file import is_job_file, read_job
    from leadline.explain.reading import has_recording

    path = Path(word)
    if is_job_file(path):
        job = read_job(path, lines=True)
        return Kept(path, word, Path(job.program).name, started=job.started, job=job)
    return Kept(path, word, path.absolute().name) if has_recording(path) else None


def explained(word: str, runs: Path) -> Explained:
    """Return where the time of a recorded program went.

    `word` is a run of `leadline explain`, a folder of its files, the file of a job, or the report
    of another profiler. Raises `UserError` where it is none of them, or holds no rank.
    """
    if kept := _recorded_here(word):
        return _explained(kept, runs)
    found = subject(word, runs)
    if found.run.explained is None:
        name = found.run.run if found.folder else word
        raise UserError(f"{name} is no recording of a program: `leadline show {name}`")
    return of_subject(found, word, runs)


def of_subject(found: Subject, word: str, runs: Path) -> Explained:
    """Return where the time of the recording went that `word` names. Raises `UserError`."""
    explained = of_run(found.folder, found.run, runs)
    return explained if found.folder else msgspec.structs.replace(explained, run=word)


def of_run(folder: RunFolder | None, run: Run, runs: Path) -> Explained:
    """Return where the time of the program of this run went. Raises `UserError`.

    There is no folder where a file of another profiler is shown.
    """
    from leadline.explain.profiled import explain_profile

    if run.imported and run.imported.profile:
        mpi = run.explained.mpi if run.explained else ""
        return explain_profile(run.imported.profile, run.imported.program, run.run, mpi)
    assert folder
    return _explained(Kept(folder.recording, run.run, run.plan.name, run.explained), runs)


def show_kept(
    found: Subject,
    word: str,
    *,
    as_json: bool,
    html: Path | None,
    table: str | None,
    full: bool,
) -> None:
    """Show the recording that `word` names, as `leadline explain` does."""
    if table:
        raise UserError(
            f"{word} is a recording of a program, which has no table {table}: "
            f"`leadline explain --full {word}`"
        )
    runs = found.folder.path.parent if found.folder else Path()
    show(of_subject(found, word, runs), as_json=as_json, full=full, html=html)


def show_difference(
    base: Explained, other: Explained, *, as_json: bool, full: bool = False
) -> None:
    """Print what differs between two recordings, for people or as JSON.

    Raises `UserError` where they are one.
    """
    if Path(base.run).resolve() == Path(other.run).resolve():
        raise UserError(
            f"{base.run} and {other.run} are one recording: name another one that `leadline runs` "
            "lists"
        )
    from leadline.explain.difference import difference
    from leadline.output.terminal.program_time import print_difference

    found = difference(base, other)
    if as_json:
        print_json(found)
    else:
        print_difference(found, full=full)


def show(
    found: Explained,
    *,
    as_json: bool,
    full: bool = False,
    html: Path | None = None,
    file: TextIO | None = None,
) -> None:
    """Print where the time went, for people on `file`, or as JSON on standard output.

    The page is written to `html` where that is named. Raises `UserError` where it cannot be.
    """
    if html:
        from leadline.output.html.program import write_program

        write_program(html, found)
    if as_json:
        print_json(found)
        return

    from leadline.output.terminal.program_time import print_explained

    print_explained(found, file, full=full)
    if html:
        click.echo(f"report: {html}", file=file)


def _explained(kept: Kept, runs: Path) -> Explained:
    from leadline.explain.bounds import Bounds
    from leadline.explain.measured import find_curves
    from leadline.explain.report import explain, of_job
    from leadline.tune.subjects import of_programs

    recording, recorded = kept.read(), kept.recorded
    rules, profile = _tuned(recording.library)
    mpi = recorded.mpi if recorded else profile.stem if profile else ""
    bounds = Bounds(
        curves=find_curves(recording, runs),
        rules=rules,
        accelerated=bool(recorded and recorded.accelerated),
    )
    matrix = kept.folder / _MATRIX
    found = explain(
        recording,
        bounds,
        run=kept.name,
        recorded=recorded,
        mpi=mpi,
        tunable=of_programs(source_folder()),
        matrix=str(matrix) if matrix.is_file() else "",
    )
    return of_job(found, kept.job) if kept.job else found


def _tuned(library: str) -> tuple[tuple[Rule, ...], Path | None]:
    """Return the rules that were tuned for a library on this machine, and their file."""
    from leadline.tune.profile import machine_name, read_profile

    said = " ".join(library.split())
    for file in sorted(paths.profiles().glob("*.toml")):
        try:
            profile = read_profile(file)
            preloaded = paths.runtime(file.stem) / paths.PRELOADED
            if said and profile.library in said and profile.machine == machine_name(preloaded):
                return profile.rule, file
        except UserError:
            continue
    return (), None


def write_matrix(folder: Path) -> tuple[int, int]:
    """Write what each rank sent to each other beside the recording; return ranks and nodes.

    Both are 0 where no rank was seen. The matrix is what `leadline rank-order --matrix` reads: a
    row for each sender.
    """
    from leadline.explain.reading import read_recording

    recording = read_recording(folder)
    if recording is None:
        return 0, 0
    size = recording.ranks_total
    sent = [peer.bytes for rank in recording.ranks for peer in rank.peers.values()]
    if any(sent) and size <= _MOST_RANKS:
        rows = [[0] * size for _ in range(size)]
        for rank in recording.ranks:
            for other, peer in rank.peers.items():
                rows[rank.rank][other] = peer.bytes
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (folder / _MATRIX).write_text(text + "\n")
    return len(recording.ranks), recording.nodes
