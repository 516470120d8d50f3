"""The interface of what runs launches: from this machine, or in a batch job."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec

from leadline.measure.plan.schedule import plan_text
from leadline.measure.run.preparation import PLAN_FILE, Prepared, PreparedLaunch
from leadline.model.interference import Congestion
from leadline.model.job import Start
from leadline.model.run import Launch, Outcome
from leadline.store.folder import RunFolder
from leadline.store.launches import note_launch

STDOUT, STDERR = "stdout.txt", "stderr.txt"


class LaunchEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a launch ended; its folder holds what it measured.

    `returncode` is the launcher's; a `failed` outcome without a message is explained from it and
    from what was printed. `lost` are the hosts that did not answer any more. After a `final` one no
    launch can follow. One that was not `started` left nothing behind. `began` and `ended` are times
    in ISO 8601, `background` is what a second job did.
    """

    outcome: Outcome
    lost: tuple[str, ...] = ()
    returncode: int = 0
    began: str = ""
    ended: str = ""
    started: bool = True
    final: bool = False
    background: Congestion | None = None


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


def describe_launch(prepared: PreparedLaunch, folder: RunFolder, *, batch: bool) -> Launch:
    """Return what is known of a launch before it starts; in a `batch` job hosts have no names."""
    job = prepared.job
    start = prepared.start_in(folder.launch_path(prepared.launch).absolute())
    return Launch(
        launch=prepared.launch,
        mpi=prepared.mpi,
        api=job.api,
        launcher=start.launcher,
        argv=start.argv,
        environment=start.environment,
        processes=job.placement.processes,
        nodes=job.placement.nodes,
        processes_per_node=job.placement.processes_per_node,
        oversubscribed=prepared.oversubscribed,
        started="",
        ended="",
        outcome=Outcome(state="running"),
        knobs=prepared.knobs,
        asked_controls=job.controls,
        asked_ranks_by_node=job.ranks_by_node,
        asked_hosts=() if batch else job.nodes,
    )


def write_launch_files(
    run: Prepared, prepared: PreparedLaunch, launch: Launch, folder: RunFolder
) -> Start:
    """Make the launch's folder with all that its probe and recovery read; return its start."""
    place = folder.launch_folder(launch.launch)
    start = prepared.start_in(place.absolute())
    seed = run.seed + prepared.launch
    text = plan_text(
        run.plan, prepared.points, seed, prepared.oversubscribed, prepared.job.controls
    )
    for name, content in {PLAN_FILE: text, **start.files}.items():
        (place / name).write_text(content)
    note_launch(place, launch)
    return start


def format_launch(launch: Launch) -> str:
    """Return installation, placement and knobs of a launch, for people."""
    knobs = [f"{name}={value}" for name, value in launch.knobs.items()]
    return ", ".join([launch.mpi, str(launch.placement), *knobs])


def launch_tag(folder: RunFolder, launch: Launch) -> str:
    """Return the tag in the environment of all processes of a launch."""
    return f"{folder.name}/{launch.launch}"


def now() -> str:
    """Return the time as a run folder notes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
