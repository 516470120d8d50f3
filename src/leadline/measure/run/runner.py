"""What runs launches: its interface, and the runner that starts them from this machine."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import DEFAULT
from leadline.measure.launch.hosts import end_remote
from leadline.measure.launch.neighbour_job import NeighbourJob, neighbour_job_command
from leadline.measure.launch.supervise import LaunchEnd, now, out_of_time, run_supervised
from leadline.measure.run.preparation import Prepared, PreparedLaunch, write_launch_files
from leadline.model.interference import BESIDE
from leadline.model.progress import Observer
from leadline.model.run import Launch, LaunchKey, Outcome, launch_key
from leadline.store.folder import RunFolder
from leadline.store.launches import EVENTS, has_ended

STDOUT, STDERR = "stdout.txt", "stderr.txt"


class Runner(Protocol):
    """Runs the launches of a run, one after the other and in their order."""

    def run(self, launch: Launch, place: Path, tick: Callable[[], bool]) -> LaunchEnd:
        """Run `launch` in its folder `place` and return how it ended.

        `tick` is called now and then, and once after the end; it returns True when something new
        came from the probe. Interrupts do not raise: the launch has then ended, `interrupted`.
        """

    def leave_out(self, place: Path) -> None:
        """Do not run the launch whose folder is `place`."""

    def close(self) -> None:
        """Leave nothing behind that goes on. Called once, at the end."""


def format_launch(launch: Launch) -> str:
    """Return installation, placement and knobs of a launch, for people."""
    knobs = [f"{name}={value}" for name, value in launch.knobs.items()]
    return ", ".join([launch.mpi, str(launch.placement), *knobs])


def printed(place: Path) -> str:
    """Return what a launcher and its ranks printed into the folder `place`."""
    files = [place / name for name in (STDOUT, STDERR)]
    return "\n".join(file.read_text(errors="replace") for file in files if file.exists())


def launch_tag(folder: RunFolder, launch: Launch) -> str:
    """Return the tag in the environment of all processes of a launch."""
    return f"{folder.name}/{launch.launch}"


class LocalRunner:
    """Starts each launcher as a child process, on this machine or for hosts that it reaches."""

    def __init__(self, prepared: Prepared, folder: RunFolder, observer: Observer) -> None:
        self._prepared = prepared
        self._folder = folder
        self._observer = observer
        self._launches = {each.launch: each for each in prepared.launches}
        self._limit_s = prepared.plan.time_limit_s or float("inf")
        self._budget_s = prepared.plan.budget_s or float("inf")
        began = time.monotonic()
        self._spent, self._deadline = began + self._budget_s, began + self._limit_s
        self._took: dict[LaunchKey, float] = {}

    def add(self, launches: Iterable[PreparedLaunch]) -> None:
        """Take launches that follow those of the plan, of fewer points."""
        self._took = {}
        self._launches |= {each.launch: each for each in launches}

    def run(self, launch: Launch, place: Path, tick: Callable[[], bool]) -> LaunchEnd:
        """Execute the launcher, watch it, and end all that it started.

        A second job that the knobs ask for begins before, and ends after.
        """
        if launch.knobs.get(BESIDE, DEFAULT) == DEFAULT:
            return self._run(launch, place, tick)
        began = now()
        neighbour = NeighbourJob(neighbour_job_command(self._prepared.plan, launch))
        try:
            with neighbour:
                end = self._run(launch, place, tick)
        except UserError as error:
            outcome = Outcome(state="incomplete", message=str(error))
            return LaunchEnd(outcome=outcome, began=began, ended=now())
        did = neighbour.did
        if end.outcome.state == "complete" and (did is None or did.state != "interrupted"):
            what = did.message or did.state if did else "it said nothing"
            outcome = Outcome(state="incomplete", message=f"the job beside ended early: {what}")
            end = msgspec.structs.replace(end, outcome=outcome)
        return msgspec.structs.replace(end, neighbour=did)

    def _run(self, launch: Launch, place: Path, tick: Callable[[], bool]) -> LaunchEnd:
        left_s = min(self._deadline, self._spent) - time.monotonic()
        if left_s <= self._expected_s(launch):
            return LaunchEnd(outcome=self._out_of_time(), started=False, final=True)
        prepared = self._launches[launch.launch]
        which = f"launch {launch.launch + 1} of {len(self._launches)}"
        self._observer.doing(f"{which}, {format_launch(launch)}")
        tag = launch_tag(self._folder, launch)
        end = run_supervised(
            write_launch_files(self._prepared, prepared, launch, self._folder),
            stdout=place / STDOUT,
            stderr=place / STDERR,
            tag=tag,
            tick=tick,
            time_limit_s=None if left_s == float("inf") else left_s,
            stall_limit_s=self._prepared.stall_limit_s,
            finished=lambda: has_ended(place),
        )
        outcome, job = end.outcome, prepared.job
        lost: tuple[str, ...] = ()
        if job.nodes and not (outcome == Outcome(state="complete") and has_ended(place)):
            lost = end_remote(job.nodes, tag, job.hosts.remote_shell, end.seconds)
        # A launch that never began left nothing there.
        for host in lost if (place / EVENTS).exists() else ():
            self._observer.warn(f"host {host} was not reached to end what this launch left there")
        if outcome.state == "complete" and outcome.message:
            self._observer.warn(f"{which}, {launch.mpi}: {outcome.message}")
            outcome = Outcome(state="complete")
        final = outcome.state == "interrupted"
        if outcome.state == "timed out" and time.monotonic() >= min(self._deadline, self._spent):
            outcome, final = self._out_of_time(), True
        self._took[launch_key(launch)] = end.seconds
        return msgspec.structs.replace(end, outcome=outcome, lost=lost, final=final)

    def _expected_s(self, launch: Launch) -> float:
        """Return how long the launch will take, as the last of its kind; 0 without a budget."""
        return 0.0 if self._budget_s == float("inf") else self._took.get(launch_key(launch), 0.0)

    def _out_of_time(self) -> Outcome:
        if self._deadline <= self._spent:
            return out_of_time(self._limit_s)
        return Outcome(state="timed out", message=f"the budget of {self._budget_s:g} s is spent")

    def leave_out(self, place: Path) -> None:
        """Do nothing: nothing was done for that launch yet."""

    def close(self) -> None:
        """Do nothing: no launch outlives `run`."""
