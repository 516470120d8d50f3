"""How a launch is carried out: the interface of the ways in which it can be."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec

from leadline.measure.launch.start import launcher_for
from leadline.measure.plan.schedule import plan_text
from leadline.measure.run.preparation import Prepared
from leadline.model.congestion import Congestion
from leadline.model.placement import Placement
from leadline.model.plan import LaunchPlan
from leadline.model.run import Launch, Outcome
from leadline.store.folder import RunFolder
from leadline.store.launches import note_launch

PLAN, STDOUT, STDERR = "plan.txt", "stdout.txt", "stderr.txt"


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """How a launch was carried out; its folder holds what it measured.

    `returncode` is the launcher's; a `failed` outcome without a message is explained from it and
    from what was printed. `lost` are the hosts that did not answer any more. After a `final` one no
    launch can follow. One that was not `started` left nothing behind. `began` and `ended` are times
    in ISO 8601, `beside` is what a second job did.
    """

    outcome: Outcome
    lost: tuple[str, ...] = ()
    returncode: int = 0
    began: str = ""
    ended: str = ""
    started: bool = True
    final: bool = False
    beside: Congestion | None = None


class Carrier(Protocol):
    """Carries out the launches of a run, one after the other and in their order."""

    def carry_out(self, launch: Launch, place: Path, tick: Callable[[], bool]) -> Carried:
        """Carry out `launch` in its folder `place` and return how that went.

        `tick` is called now and then, and once after the end; it returns True when something new
        came from the probe. Interrupts do not raise: the launch has then ended, `interrupted`.
        """

    def leave_out(self, place: Path) -> None:
        """Do not carry out the launch whose folder is `place`."""

    def close(self) -> None:
        """Leave nothing behind that goes on. Called once, at the end."""


def launch_of(prepared: Prepared, plan: LaunchPlan, folder: RunFolder) -> Launch:
    """Return what is known of a launch before it starts."""
    place = folder.launch_path(plan.launch).absolute()
    job = prepared.job(plan, place / PLAN, place)
    start = prepared.start(plan, place / PLAN, place)
    return Launch(
        launch=plan.launch,
        mpi=plan.mpi,
        transport=plan.transport,
        launcher=launcher_for(job, prepared.offer(plan).installation).name,
        argv=start.argv,
        environment=start.environment,
        processes=plan.placement.processes,
        nodes=plan.placement.nodes,
        processes_per_node=plan.placement.processes_per_node,
        oversubscribed=prepared.oversubscribed(plan),
        started="",
        ended="",
        outcome=Outcome(state="running"),
        knobs=plan.knobs,
        asked_controls=job.controls,
        asked_ranks_by_node=job.ranks_by_node,
        # In a job, hosts have no names yet.
        asked_hosts=() if prepared.plan.batch else job.hosts[: job.placement.nodes],
    )


def write_files(prepared: Prepared, plan: LaunchPlan, launch: Launch, folder: RunFolder) -> None:
    """Make the launch's folder, with all that its probe reads and that recovery needs."""
    place = folder.launch_folder(launch.launch)
    text = plan_text(
        prepared.plan, plan, prepared.seed, launch.oversubscribed, launch.asked_controls
    )
    (place / PLAN).write_text(text)
    job, start = (each(plan, place / PLAN, place) for each in (prepared.job, prepared.start))
    for name, content in (job.files | start.files).items():
        (place / name).write_text(content)
    note_launch(place, launch)


def in_words(launch: Launch) -> str:
    """Return what tells a launch from the others of its run, for people."""
    placement = Placement(launch.nodes, launch.processes_per_node)
    knobs = [f"{name}={value}" for name, value in launch.knobs.items()]
    return ", ".join([launch.mpi, str(placement), *knobs])


def tag_of(folder: RunFolder, launch: Launch) -> str:
    """Return the mark by which the processes of a launch are known."""
    return f"{folder.name}/{launch.launch}"


def now() -> str:
    """Return the time as a run folder notes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
