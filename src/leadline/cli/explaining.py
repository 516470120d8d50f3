"""Recordings of programs: found, held against what was measured, and shown."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from leadline.core.errors import UserError

if TYPE_CHECKING:
    from leadline.explain.recording import Recording
    from leadline.explain.report import Explained
    from leadline.model.description import Benchmark
    from leadline.model.profile import Rule
    from leadline.model.recorded import Recorded
    from leadline.model.run import Run
    from leadline.store.folder import RunFolder

_MATRIX = "sent.csv"
# A matrix of more ranks is no file that anybody opens.
_MOST_RANKS = 4096
NO_MPI = "no process initialised MPI: nothing is known of where the time went"


class Kept(NamedTuple):
    """Where a recording lies, how the user knows it, and how its program was started, if known."""

    folder: Path
    name: str
    recorded: "Recorded | None"

    def read(self) -> "Recording":
        """Return the recording. Raises `UserError` where it holds no rank."""
        from leadline.explain.recording import read_recording

        recording = read_recording(self.folder)
        if recording is None:
            raise UserError(f"{self.name}: {NO_MPI}")
        return recording


def kept_recording(word: str, runs: Path) -> Kept:
    """Return the recording that `word` names.

    It is a run of `leadline explain`, or a folder of its files. Raises `UserError` where it is
    neither.
    """
    from leadline.explain.recording import has_recording
    from leadline.store.folder import RunFolder

    path = Path(word)
    if has_recording(path):
        return Kept(path, word, None)
    folder = RunFolder.open(word, runs)
    run = folder.read()
    if run.explained is None:
        raise UserError(
            f"run {run.run} is no recording of a program: `leadline explain -- COMMAND` makes one"
        )
    return Kept(folder.recording, run.run, run.explained)


def explained(word: str, runs: Path) -> "Explained":
    """Return where the time of a recorded program went, as `kept_recording` finds it.

    Raises `UserError` where there is none, or it holds no rank.
    """
    return _explained(kept_recording(word, runs), runs)


def of_run(folder: "RunFolder", run: "Run", runs: Path) -> "Explained":
    """Return where the time of the program of this run went. Raises `UserError`."""
    return _explained(Kept(folder.recording, run.run, run.explained), runs)


def show_kept(
    folder: "RunFolder",
    run: "Run",
    *,
    as_json: bool,
    html: Path | None,
    table: str | None,
    full: bool,
) -> None:
    """Show the recording that is this run, as `leadline explain RUN` does."""
    if table:
        raise UserError(
            f"run {run.run} is a recording of a program, which has no table {table}: "
            f"`leadline explain --full {run.run}`"
        )
    show(of_run(folder, run, folder.path.parent), as_json=as_json, full=full, html=html)


def show(
    found: "Explained",
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
        import msgspec

        click.echo(msgspec.json.encode(found))
        return
    from leadline.output.terminal.program_time import print_explained

    print_explained(found, file, full=full)
    if html:
        click.echo(f"report: {html}", file=file)


def _explained(kept: Kept, runs: Path) -> "Explained":
    from leadline.core.shipped import source_folder
    from leadline.explain.bounds import Bounds
    from leadline.explain.measured import find_curves
    from leadline.explain.report import explain
    from leadline.tune.subjects import of_programs

    recording, recorded = kept.read(), kept.recorded
    rules, profile = _tuned(recording.library)
    mpi = recorded.mpi if recorded else profile.stem if profile else ""
    bounds = Bounds(
        curves=find_curves(recording, runs),
        rules=rules,
        profile=str(profile or ""),
        accelerated=bool(recorded and recorded.accelerated),
    )
    matrix = kept.folder / _MATRIX
    return explain(
        recording,
        bounds,
        run=kept.name,
        recorded=recorded,
        mpi=mpi,
        benchmarks=_benchmarks(mpi),
        tunable=of_programs(source_folder()),
        matrix=str(matrix) if matrix.is_file() else "",
    )


def _tuned(library: str) -> tuple[tuple["Rule", ...], Path | None]:
    """Return the rules that were tuned for a library on this machine, and their file."""
    from leadline.core import paths
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


def _benchmarks(mpi: str) -> Sequence["Benchmark"]:
    """Return what can be measured with an MPI, as its probe described itself last."""
    from leadline.measure.build.probe import described_probe
    from leadline.site.mpi.discovery import find_installations

    there = next((each for each in find_installations() if each.name == mpi), None)
    try:
        probe = described_probe(there, "mpi") if there else None
    except UserError:
        return ()
    return probe.description.benchmarks if probe else ()


def write_matrix(folder: Path) -> tuple[int, int]:
    """Write what each rank sent to each other beside the recording; return ranks and nodes.

    Both are 0 where no rank was seen. The matrix is what `leadline rank-order --matrix` reads: a
    row for each sender.
    """
    from leadline.explain.recording import read_recording

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
