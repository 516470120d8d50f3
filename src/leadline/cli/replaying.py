"""A recorded program's communication, written as a plan."""

from collections.abc import Callable, Sequence
from pathlib import Path

from leadline.cli.explaining import kept_recording
from leadline.cli.output import write
from leadline.core.errors import UserError
from leadline.explain.replay import replay
from leadline.explain.replay_plan import format_plan
from leadline.measure.build.probe import described_probe, probe_for
from leadline.model.description import Benchmark
from leadline.site.mpi.choice import default_installation
from leadline.site.mpi.discovery import find_installations

_API = "mpi"
# As the plan calls itself where it has no file yet.
_NO_FILE = "PLAN.toml"


def write_plan(word: str, output: str | None, runs: Path, say: Callable[[str], None]) -> None:
    """Write the communication of the recorded program `word` as a plan; `output` as for `write`.

    A probe is built, and `say` called before, where none was built yet. Raises `UserError` where
    `word` is no recording, no benchmark measures its calls, or the file exists.
    """
    named = output not in (None, "-")
    if named and Path(str(output)).is_file():
        raise UserError(f"{output} is there already: name another file, or remove it")
    text = _plan(word, str(output) if named else _NO_FILE, runs, say)
    write(output, lambda stream: stream.write(text.encode()))
    if named:
        say(f"plan: {output}")


def _plan(word: str, file: str, runs: Path, say: Callable[[str], None]) -> str:

    kept = kept_recording(word, runs)
    found = replay(kept.read(), _benchmarks(kept.mpi, say))
    return format_plan(found, kept.program, kept.name, kept.mpi, file)


def _benchmarks(mpi: str, say: Callable[[str], None]) -> Sequence[Benchmark]:
    """Return what any MPI here can be asked for, as a probe last described itself."""
    there = [each for each in find_installations() if _API in each.apis and not each.simulates]
    # All have the same benchmarks; the program's own may lack one that its MPI is too old for.
    for installation in sorted(there, key=lambda each: each.name != mpi):
        if probe := described_probe(installation, _API):
            return probe.description.benchmarks
    return probe_for(default_installation(), _API, say).description.benchmarks
