"""`leadline explain`: where a program's time goes, and what to do about it."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec

from leadline import __version__
from leadline.cli.completion import complete_mpis
from leadline.cli.explaining import (
    explained,
    kept_recording,
    of_run,
    show,
    show_difference,
    why_none,
    write_matrix,
)
from leadline.cli.options import (
    Shared,
    argument,
    declared,
    html_option,
    option,
    say,
    write,
    write_text,
)
from leadline.cli.watching import VARIABLE, Watch, say_hangs, watch_of
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.names import not_there
from leadline.model.plan import Plan
from leadline.model.recorded import Recorded
from leadline.model.run import Outcome, Run
from leadline.store.folder import RunFolder, run_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leadline.model.description import Benchmark
    from leadline.model.installation import Installation


@declared(context_settings={"allow_interspersed_args": False})
def command(
    mpi: str | None = option(
        "The MPI of the program  [default: the one that it loads]",
        "NAME",
        shell_complete=complete_mpis,
    ),
    accelerate: bool = option("With faster collectives, as `leadline exec`."),
    as_json: bool = option(
        "Print one JSON object; the program's output goes to standard error.", "--json"
    ),
    full: bool = option("Print all places, all ranks, and who sends to whom."),
    html: Path | None = html_option(
        "Write a page too: owners by rank, who sends to whom, all calls."
    ),
    talp: Path | None = option("Write a file for `talp ci-report` too: POP's factors.", "FILE"),
    watch: str | None = option(
        "Say on standard error why the program hangs, once no rank has moved for TIME, such as "
        f"60s  [default: {VARIABLE}]",
        "TIME",
    ),
    then: str | None = option(
        "End a program that hangs, as --watch finds.", type=click.Choice(["abort"])
    ),
    diff: tuple[str, str] | None = option(
        "Say what differs between two recordings.", "RUN RUN", nargs=2
    ),
    replay: str | None = option("Write a recording's communication as a plan.", "RUN"),
    output: str | None = option("File for that plan  [default: standard output]", "FILE"),
    runs: Path = Shared.runs,
    words: tuple[str, ...] = argument("[COMMAND... | RUN]", type=click.UNPROCESSED),
) -> None:
    """Say where a program's time goes, and what to do.

    COMMAND starts the program, such as `mpirun -n 8 ./app` or `oshrun -n 8 ./app`, which needs no
    change. Each second of each rank has one owner: computing, waiting for late ranks, moving data,
    more than the machine was measured to need, or what tuning would save. The answer goes to
    standard error when the program has ended; it is kept as a run. RUN shows one again, and so does
    the file of a job that `leadline jobs` lists. Exit status: the program's.
    """
    if output and not replay:
        raise UserError(f"--output {output} is for the plan of --replay RUN: leave it out")
    again = bool(words) and not (replay or diff) and _is_kept(words, runs)
    for name, given in (("--watch", watch), ("--then", then)):
        if given is not None and (replay or diff or again or not words):
            raise UserError(
                f"{name} {given} is for a program: leadline explain --watch 60s -- COMMAND"
            )
    if replay:
        beside = {
            "--diff": diff, "--json": as_json, "--full": full, "--html": html, "--talp": talp
        }  # fmt: skip
        if more := [*words, *(name for name, given in beside.items() if given)]:
            raise UserError(f"--replay takes one run alone: leave out {more[0]}")
        _write_plan(replay, output, runs)
    elif diff:
        if more := [*words, *(["--talp"] if talp else [])]:
            raise UserError(f"--diff takes two runs, and nothing behind them: leave out {more[0]}")
        base, other = (explained(word, runs) for word in diff)
        show_difference(base, other, as_json=as_json, full=full)
    elif not words:
        raise UserError(
            "nothing to explain: `leadline explain -- mpirun -n 4 ./app`, or a run that "
            "`leadline runs` lists"
        )
    elif again:
        _show_again(words[0], runs, as_json=as_json, full=full, html=html, talp=talp)
    else:
        _run(
            words, mpi, accelerate, runs, watch_of(watch, then),
            as_json=as_json, full=full, html=html, talp=talp,
        )  # fmt: skip


def _is_kept(words: Sequence[str], runs: Path) -> bool:
    """Tell whether a run is meant, and no command. Raises `UserError` where it is neither."""
    if _names_recording(words[0], runs):
        if len(words) > 1:
            typed = shlex.join(["leadline", "explain", *_given(), *words[1:], words[0]])
            raise UserError(f"options stand before the run: {typed}")
        return True
    if len(words) > 1 or shutil.which(words[0]):
        return False
    if words[0].startswith(("./", "../", "/")) and not Path(words[0]).exists():
        raise UserError(
            f"{words[0]}: there is neither such a command nor such a run: `leadline runs` lists "
            "the runs"
        )
    return True


def _given() -> Iterator[str]:
    """Yield the options that were given, as words."""
    context = click.get_current_context()
    for each in context.command.params:
        source = context.get_parameter_source(each.name or "")
        if isinstance(each, click.Option) and source is click.core.ParameterSource.COMMANDLINE:
            yield each.opts[0]
            if not each.is_flag:
                yield str(context.params[each.name or ""])


def _names_recording(word: str, runs: Path) -> bool:
    from leadline.explain.job_file import is_job_file

    known = word == "last" or any(path.name.startswith(word) for path in run_paths(runs))
    path = Path(word)
    return known or is_job_file(path) or (path.is_dir() and not shutil.which(word))


def _show_again(
    word: str, runs: Path, *, as_json: bool, full: bool, html: Path | None, talp: Path | None
) -> None:
    show(explained(word, runs), as_json=as_json, full=full, html=html)
    with suppress(UserError):
        say_hangs(kept_recording(word, runs).folder)
    if talp:
        _write_talp(talp, word, runs)


def _write_talp(file: Path, word: str, runs: Path) -> None:
    """Write the recording that `word` names as TALP does. Raises `UserError`."""
    from leadline.explain.talp import talp

    kept = kept_recording(word, runs)
    found = talp(kept.read(), kept.started or _now())
    write_text(file, msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
    say(f"for talp ci-report: {file}")


def _observer(installation: Installation, words: Sequence[str]) -> Path:
    """Return the folder of the observer for what the programs in `words` call."""
    from leadline.cli.launching import as_linked, programs_with
    from leadline.measure.build.runtime import observer_for

    installation = as_linked(installation, words)
    by_name = any(Path(word).name.startswith(("osh", "shmem")) for word in words)
    calls_shmem = by_name or programs_with(b"shmem_init", words)
    return observer_for(installation, say, apis=("mpi", "shmem") if calls_shmem else ("mpi",))


def _run(
    words: tuple[str, ...],
    mpi: str | None,
    accelerate: bool,
    runs: Path,
    watch: Watch | None,
    *,
    as_json: bool,
    full: bool,
    html: Path | None,
    talp: Path | None,
) -> None:
    from leadline.cli.launching import accelerating, as_linked, named_profile, started
    from leadline.core.processes import Followed, exit_status, start, stop_requests
    from leadline.explain.ending import write_end
    from leadline.measure.build.runtime import runtime_for
    from leadline.measure.launch.preload import preloading
    from leadline.measure.launch.supervise import describe_status
    from leadline.output.program_time import headline

    typed = words
    installation, words = started(mpi, words, "explain")
    built = _observer(installation, words)
    library = built / paths.RECORDING
    if not library.is_file():
        raise UserError(f"{library} is missing: remove the folder {built} and start again")
    settings = watch.variables(paths.program()) if watch else {}
    behind = [file for file in (built / paths.RECORDING_SHMEM,) if file.is_file()]
    if accelerate:
        engine = runtime_for(as_linked(installation, words), say) / paths.PRELOADED
        settings |= named_profile(None, installation)
        settings |= accelerating(settings, None, installation, engine)
        behind.append(engine)
    folder = _begin(typed, installation, accelerate, runs)
    settings["LEADLINE_EXPLAIN"] = str(folder.recording.absolute())
    loaded = preloading(words, installation, library, settings, os.environ, behind)
    with stop_requests() as requests:
        environment = {**os.environ, **loaded.environment}
        program = shutil.which(words[0]) or words[0]
        followed = Followed(start(loaded.argv, environment, as_json, program=program), requests)
        status = followed.wait()
        write_end(folder.recording)
        message = describe_status(typed[0], status) if status else ""
        if run := _finish(folder, status, message, interrupted=followed.interrupted):
            answer = of_run(folder, run, runs)
            assert run.explained
            run.explained = msgspec.structs.replace(run.explained, headline=headline(answer))
            folder.write(run)
            show(answer, as_json=as_json, full=full, html=html, file=sys.stderr)
            say_hangs(folder.recording)
            if talp:
                _write_talp(talp, str(folder.path), runs)
    if status:
        say(message)
    sys.exit(exit_status(status))


def _begin(
    words: tuple[str, ...], installation: Installation, accelerated: bool, runs: Path
) -> RunFolder:
    from leadline.site.hardware.inventory import facts

    # The user's program is the first word that is a file and no launcher.
    program = Path(next((word for word in words[1:] if Path(word).is_file()), words[0])).name
    # An argument may be any bytes, a run is JSON.
    program, *told = (os.fsencode(word).decode(errors="replace") for word in (program, *words))
    folder = RunFolder.create(runs, f"explain-{program}")
    folder.recording.mkdir()
    folder.write(
        Run(
            run=folder.name,
            leadline=__version__,
            plan=Plan(entries=(), mpi=(installation.name,), name=program),
            started=_now(),
            outcome=Outcome(state="running"),
            machine=facts(),
            installations=[installation],
            explained=Recorded(
                command=tuple(told),
                mpi=installation.name,
                accelerated=accelerated,
                host=socket.gethostname(),
                cores=len(os.sched_getaffinity(0)),
            ),
        )
    )
    return folder


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _finish(folder: RunFolder, status: int, message: str, *, interrupted: bool) -> Run | None:
    """Write how the program ended and return the run.

    Without a rank, say why: there is no run, and no folder of it.
    """
    from leadline.explain.reading import has_recording, keep_lines

    keep_lines(folder.recording)
    ranks, nodes = write_matrix(folder.recording) if has_recording(folder.recording) else (0, 0)
    if not ranks:
        recorded = folder.stored().explained
        assert recorded
        missing = not_there(recorded.command)
        said = f"{missing} is not there" if missing else why_none(folder.recording, recorded.mpi)
        say(said)
        folder.close()
        shutil.rmtree(folder.path, ignore_errors=True)
        return None
    run = folder.stored()
    assert run.explained
    run.explained = msgspec.structs.replace(run.explained, status=status, ranks=ranks, nodes=nodes)
    run.ended = _now()
    state: Literal["interrupted", "failed", "complete"] = (
        "interrupted" if interrupted else "failed" if status else "complete"
    )
    run.outcome = Outcome(state=state, message=message)
    folder.finish(run)
    return run


_API = "mpi"
# As the plan calls itself where it has no file yet.
_NO_FILE = "PLAN.toml"


def _write_plan(word: str, output: str | None, runs: Path) -> None:
    """Write the communication of the recorded program `word` as a plan; `output` as for `write`.

    A probe is built where none was built yet. Raises `UserError` where `word` is no recording, no
    benchmark measures its calls, or the file exists.
    """
    from leadline.explain.replay import replay
    from leadline.explain.replay_plan import format_plan

    named = output not in (None, "-")
    if named and Path(str(output)).is_file():
        raise UserError(f"{output} is there already: name another file, or remove it")
    kept = kept_recording(word, runs)
    if kept.job:
        raise UserError(
            f"{word} has only the calls of a job that took longest: record the program with "
            "`leadline explain -- COMMAND`, and replay that"
        )
    replayed = replay(kept.read(), _benchmarks())
    file = str(output) if named else _NO_FILE
    text = format_plan(replayed, kept.program, kept.name, kept.mpi, file)
    write(output, lambda stream: stream.write(text.encode()))
    if named:
        say(f"plan: {output}")


def _benchmarks() -> Sequence[Benchmark]:
    """Return what any MPI can be asked for: an old one may lack some of it."""
    from leadline.measure.build.parts import catalogue

    return catalogue(_API).description.benchmarks
