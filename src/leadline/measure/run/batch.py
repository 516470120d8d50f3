"""Launches run by a job of a batch system, followed through the file system."""

import os
import shlex
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals

import msgspec

from leadline.core.processes import stop_requests
from leadline.measure.knobs.inherited import (
    OF_THE_SYSTEM,
    SECRET_WORDS,
    inherited,
    parameter_files,
    readers,
)
from leadline.measure.launch.supervise import STALLED, LaunchEnd, now, out_of_time
from leadline.measure.run.preparation import Prepared, write_launch_files
from leadline.measure.run.runner import format_launch, launch_tag
from leadline.model.installation import Installation
from leadline.model.progress import Observer
from leadline.model.run import BatchJob, Launch, Outcome
from leadline.model.software import Variable
from leadline.site.hardware.files import Files
from leadline.site.processes import TAG
from leadline.site.schedulers.batch_system import JobState, Request, batch_system
from leadline.site.schedulers.script import BEGAN, LEAVE_OUT, STATUS, job_script
from leadline.store.disk import writing
from leadline.store.folder import RunFolder
from leadline.store.launches import EVENTS

# Closing the terminal ends leadline and leaves the job alone.
STOPPED_BY = (SIGINT, SIGTERM)
_SCRIPT, _OUTPUT = "job.sh", "job.txt"
_TICK_S = 0.2
# The batch system is asked often at first and ever more rarely, since it serves everybody.
_FIRST_ASK_S, _LAST_ASK_S, _ASKS_GROW = 1.0, 30.0, 0.05
# What the job's nodes wrote may come late through a shared file system.
_SETTLE_S = 2.0
_END_S = 60.0
# A tree of what was read on the node, with its paths, and the job's environment.
_NODE, _ENVIRONMENT = "node", "environment"


def script_of(prepared: Prepared, launches: Sequence[Launch], folder: RunFolder) -> str:
    """Return the script of the job that runs `launches`.

    It asks for as many nodes, and cores on each, as the largest placement needs. Ranks that may
    share cores need none of their own: whole nodes are enough.
    """
    system = batch_system(prepared.plan.batch)
    cores = max(launch.processes_per_node for launch in launches)
    request = Request(
        nodes=max(launch.nodes for launch in launches),
        processes_per_node=1 if prepared.plan.oversubscribe else cores,
        output=folder.path.absolute() / _OUTPUT,
        time_limit_s=prepared.plan.time_limit_s,
        options=prepared.plan.batch_options,
    )
    starts = {}
    for each, launch in zip(prepared.launches, launches, strict=True):
        place = folder.launch_path(launch.launch).absolute()
        tag = {TAG: launch_tag(folder, launch)}
        start = each.start_in(place)
        starts[place.name] = msgspec.structs.replace(start, environment=tag | start.environment)
    place = folder.launch_path(0).parent.absolute()
    installations = [probe_set.installation for probe_set in prepared.probe_sets]
    noting = note_variables(installations, folder.path.absolute())
    return job_script(system.directives(request), system.list_hosts, place, starts, noting)


def submit(prepared: Prepared, launches: Sequence[Launch], folder: RunFolder) -> BatchJob:
    """Write all that the job needs, and submit it. Raises `UserError` where it is refused."""
    system = batch_system(prepared.plan.batch)
    script = folder.path.absolute() / _SCRIPT
    with writing(folder.path):
        for own, launch in zip(prepared.launches, launches, strict=True):
            write_launch_files(prepared, own, launch, folder)
        script.write_text(script_of(prepared, launches, folder))
    return BatchJob(system=system.name, job=system.submit(script))


class BatchRunner:
    """Follows the launches of a job that was submitted, and ends it where it must end.

    The run may last `time_limit_s` from the job's start on; a launch that is silent for
    `stall_limit_s` is given up. `launches` counts all of the job.
    """

    def __init__(
        self,
        batch: BatchJob,
        observer: Observer,
        launches: int,
        time_limit_s: float | None = None,
        stall_limit_s: float = float("inf"),
    ) -> None:
        self._system = batch_system(batch.system)
        self._job = batch.job
        self._observer = observer
        self._launches = self._left = launches
        self._limit_s = time_limit_s
        self._stall_limit_s = stall_limit_s
        self._submitted = time.monotonic()
        self._asked = float("-inf")
        self._ran_since: float | None = None
        self._state = JobState(phase="waiting")
        self._settled = False

    @property
    def nodes(self) -> str:
        """The job's nodes in the batch system's words, where they are known."""
        if self._state.phase == "waiting":
            self._ask(at_once=True)
        return "" if self._state.phase == "waiting" else self._state.note

    def run(self, launch: Launch, place: Path, tick: Callable[[], bool]) -> LaunchEnd:
        """Wait until the job has run `launch`, or has ended.

        What a tick or the observer raises leaves the launch among those that `close` ends.
        """
        with stop_requests(STOPPED_BY) as requests:
            cut, final = self._wait(launch, place, tick, requests)
        self._left -= 1
        tick()
        status = _status(place)
        if cut is None and status:
            cut, final = self._ask_how_cut(), True
        return LaunchEnd(
            outcome=cut or Outcome(state="failed" if status else "complete"),
            returncode=status or 0,
            began=_time(place / BEGAN),
            ended=_time(place / STATUS, place / EVENTS),
            started=(place / BEGAN).exists(),
            final=cut is not None and final,
        )

    def leave_out(self, place: Path) -> None:
        """Keep the job from a launch that has not begun, and end one that has."""
        self._left -= 1
        (place / LEAVE_OUT).touch()
        if (place / BEGAN).exists() and not (place / STATUS).exists():
            self._system.interrupt(self._job)

    def close(self) -> None:
        """End the job, unless all launches have run."""
        if self._left and self._state.phase != "ended":
            self._end()

    def _wait(
        self, launch: Launch, place: Path, tick: Callable[[], bool], requests: Sequence[Signals]
    ) -> tuple[Outcome | None, bool]:
        """Return why the launch was cut, and whether the job is; None where it ended by itself."""
        last_news: float | None = None
        while not (place / STATUS).exists():
            time.sleep(_TICK_S)
            self._ask()
            if requests:
                self._end()
                return Outcome(state="interrupted", message=f"by {requests[0].name}"), True
            if self._limit_s is not None and self._ran_s() > self._limit_s:
                self._end()
                return out_of_time(self._limit_s), True
            if self._state.phase == "ended":
                return self._after_the_end(launch, place), True
            if tick() or (last_news is None and (place / BEGAN).exists()):
                if last_news is None:
                    self._ran_since = self._ran_since or time.monotonic()
                    which = f"launch {launch.launch + 1} of {self._launches}"
                    self._observer.doing(f"{which}, {format_launch(launch)}")
                last_news = time.monotonic()
            if last_news and time.monotonic() - last_news > self._stall_limit_s:
                return self._give_up(place), False
        return None, False

    def _ran_s(self) -> float:
        return 0.0 if self._ran_since is None else time.monotonic() - self._ran_since

    def _after_the_end(self, launch: Launch, place: Path) -> Outcome | None:
        """Return what the job's end did to a launch, after its last words could have come."""
        deadline = time.monotonic() + _SETTLE_S
        while not self._settled and time.monotonic() < deadline:
            if (place / STATUS).exists():
                return None
            time.sleep(_TICK_S)
        self._settled = True
        if self._state.outcome.state != "complete":
            return self._state.outcome
        message = (
            f"job {self._job} ended without launch {launch.launch + 1} of {self._launches}: "
            f"{_OUTPUT} in the run's folder may say why; the folder must be on a file system "
            "that the job's nodes share"
        )
        return Outcome(state="incomplete", message=message)

    def _ask_how_cut(self) -> Outcome | None:
        """Return how the job's end cut a launch that failed; None where it failed by itself."""
        self._ask(at_once=True)
        self._wait_while("ending")
        if self._state.phase != "ended" or self._state.outcome.state == "complete":
            return None
        return self._state.outcome

    def _give_up(self, place: Path) -> Outcome:
        self._system.interrupt(self._job)
        deadline = time.monotonic() + _END_S
        while not (place / STATUS).exists() and time.monotonic() < deadline:
            time.sleep(_TICK_S)
        message = f"{STALLED} for {self._stall_limit_s:g} s: it hangs"
        return Outcome(state="timed out", message=message)

    def _end(self) -> None:
        self._system.cancel(self._job)
        self._observer.doing(f"job {self._job} is being ended")
        self._ask(at_once=True)
        self._wait_while("waiting", "running", "ending")

    def _wait_while(self, *phases: str) -> None:
        deadline = time.monotonic() + _END_S
        while self._state.phase in phases and time.monotonic() < deadline:
            time.sleep(_FIRST_ASK_S)
            self._ask(at_once=True)

    def _ask(self, *, at_once: bool = False) -> None:
        """Ask the batch system where the job is, if it was not asked just now."""
        time_now = time.monotonic()
        pause = max(_FIRST_ASK_S, min(_ASKS_GROW * (time_now - self._submitted), _LAST_ASK_S))
        if not at_once and time_now - self._asked < pause:
            return
        self._asked = time_now
        state = self._system.state(self._job)
        if state is None or (state.phase, state.note) == (self._state.phase, self._state.note):
            return
        if state.phase == "running" and self._ran_since is None:
            self._ran_since = time_now
        self._state = state
        if state.phase in ("waiting", "running"):
            verb, joint = ("waits", ": ") if state.phase == "waiting" else ("runs", " on ")
            where = f"{joint}{state.note}" if state.note else ""
            self._observer.doing(f"job {self._job} {verb}{where}")


def _status(place: Path) -> int | None:
    """Return the launcher's exit status, negative for a signal; None where there is none."""
    try:
        number = int((place / STATUS).read_text())
    except (OSError, ValueError):
        return None
    return -(number - 128) if number - 128 in list(Signals) else number


def _time(*paths: Path) -> str:
    """Return when the first of the files that is there was written last; now without any."""
    for path in paths:
        if path.exists():
            moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            return moment.isoformat(timespec="milliseconds")
    return now()


def note_variables(installations: Sequence[Installation], run: Path) -> list[str]:
    """Return the commands by which a job notes in the folder `run` what its launches inherit.

    They note no variable that nobody reads, and none that by its name may hold a secret.
    """
    node = shlex.quote(str(run / _NODE))
    read = "|".join(prefix for each in readers() for prefix in each.prefixes)
    names, harmless = f"grep -E '^({read})'", f"grep -Eiv '^[^=]*({SECRET_WORDS})'"
    paths = dict.fromkeys(
        path for each in installations for path, _ in parameter_files(each, os.environ)
    )
    return [
        "# What the launches inherit on this node, and what the files of their libraries set.",
        f"mkdir -p {node}{OF_THE_SYSTEM.rpartition('/')[0]}",
        f"env | {names} | {harmless} >{node}/{_ENVIRONMENT}",
        f"{names} {OF_THE_SYSTEM} 2>/dev/null | {harmless} >{node}{OF_THE_SYSTEM}",
        "note() {",
        '  [ ! -r "$1" ] || {',
        f'    mkdir -p {node}"${{1%/*}}"',
        f'    {harmless} "$1" >{node}"$1"',
        "  }",
        "}",
        *(f"note {shlex.quote(path)}" for path in paths),
    ]


def noted_variables(installations: Sequence[Installation], run: Path) -> list[Variable] | None:
    """Return what a job has noted in the folder `run`; None where it has noted nothing."""
    node = Files(run / _NODE)
    text = node.text(_ENVIRONMENT)
    if text is None:
        return None
    home = {name: os.environ[name] for name in ("HOME",) if name in os.environ}
    noted = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    return inherited(installations, {**home, **noted}, node)
