"""A congestor as a job of its own, beside whatever else runs."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import congestors, source_folder
from leadline.measure.build.probe import probe_for, program
from leadline.measure.launch.explain import explain
from leadline.measure.launch.hosts import end_remote
from leadline.measure.launch.slots import available_cores, check_slots
from leadline.measure.launch.start import start_for
from leadline.measure.launch.supervise import run_supervised
from leadline.measure.plan.selection import Say
from leadline.measure.run.runner import STDERR, STDOUT, printed
from leadline.model.interference import Congestion
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose_one
from leadline.site.schedulers.allocation import hosts_for
from leadline.store.launches import EVENTS, EventReader

# It reports once a second: one that is silent so long hangs.
_STALL_S = 60.0
_API = "mpi"
_MOST_BYTES = 2**30

Watch = Callable[[Congestion], None]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which congestor, where, and for how long: `seconds` 0 until it is interrupted.

    `size` is that of its messages, 0 for its usual one.
    """

    kind: str
    placement: Placement
    mpi: str | None = None
    hosts: tuple[str, ...] = ()
    remote_shell: str = ""
    size: int = 0
    seconds: float = 0.0
    bind: bool = True
    oversubscribe: bool = False


def congest(wanted: Wanted, say: Say, watch: Watch) -> Congestion:
    """Run the congestor and return what it did; `watch` sees it about once a second.

    SIGINT, SIGTERM and SIGHUP end it. Raises `UserError` for what cannot be started.
    """
    installation = choose_one(wanted.mpi)
    _check_wanted(wanted)
    check_slots(_job(wanted, (), Path()), available_cores())
    probe = probe_for(installation, _API, say)
    least = {each.name: each.minimum for each in probe.description.congestors}[wanted.kind]
    if wanted.placement.processes < least:
        raise UserError(
            f"congestor {wanted.kind} needs {least} processes and placement {wanted.placement} has "
            f"{wanted.placement.processes}: take a larger --place"
        )
    (paths.home() / "congest").mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=paths.home() / "congest"))
    try:
        job = _job(wanted, program(installation, _API, probe, (), say), folder)
        start = start_for(job, installation)
        for name, text in start.files.items():
            (folder / name).write_text(text)
        seen = _Seen(wanted, installation.name, folder, watch)
        tag = f"congest/{folder.name}"
        end = run_supervised(
            start,
            stdout=folder / STDOUT,
            stderr=folder / STDERR,
            tag=tag,
            tick=seen,
            stall_limit_s=_STALL_S,
        )
        state, message = end.outcome.state, end.outcome.message
        if job.nodes and state != "complete":
            end_remote(job.nodes, tag, job.hosts.remote_shell, end.seconds)
        if state == "failed":
            message = explain(start.launcher, printed(folder), end.returncode)
        return msgspec.structs.replace(seen.last, state=state, message=message)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Seen:
    """Follows the events of a congestor."""

    def __init__(self, wanted: Wanted, mpi: str, folder: Path, watch: Watch) -> None:
        self.last = Congestion(
            kind=wanted.kind, mpi=mpi, place=str(wanted.placement), hosts=wanted.hosts
        )
        self._events = EventReader(folder / EVENTS)
        self._watch = watch

    def __call__(self) -> bool:
        events = list(self._events.new())
        for event in events:
            if event["event"] == "congesting":
                names = ("seconds", "moved_bytes", "rounds")
                self.last = msgspec.structs.replace(
                    self.last,
                    processes=int(event["processes"]),
                    **{name: event[name] for name in names},
                )
                self._watch(self.last)
        return bool(events)


def _check_wanted(wanted: Wanted) -> None:
    there = congestors(source_folder())
    if wanted.kind not in there:
        raise UserError(f"no congestor {wanted.kind!r}: there is {', '.join(there)}")
    if wanted.size > _MOST_BYTES:
        raise UserError(f"--bytes {wanted.size} is too large: {_MOST_BYTES} or less is allowed")
    if not wanted.seconds >= 0:
        raise UserError(f"--seconds {wanted.seconds:g}: write a number, or 0 for no end")


def _job(wanted: Wanted, words: tuple[str, ...], folder: Path) -> Job:
    return Job(
        program=(
            *words,
            *("--congest", wanted.kind, "--out", str(folder)),
            *("--bytes", str(wanted.size), "--seconds", f"{wanted.seconds:g}"),
        ),
        placement=wanted.placement,
        api=_API,
        bind=wanted.bind,
        oversubscribe=wanted.oversubscribe,
        folder=str(folder),
        hosts=hosts_for(wanted.hosts, wanted.remote_shell),
    )
