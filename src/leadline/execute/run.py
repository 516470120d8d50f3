"""One run, from a prepared plan to a finished folder."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from leadline import __version__
from leadline.build.probe import check_library
from leadline.errors import UserError
from leadline.execute.preparation import Prepared
from leadline.execute.schedule import plan_text
from leadline.launch.explain import explain
from leadline.launch.remote import end_remote
from leadline.launch.start import launcher_for
from leadline.launch.supervise import Ended, run_supervised
from leadline.model.plan import LaunchPlan, Plan
from leadline.model.progress import Observer
from leadline.model.run import Launch, Outcome, Run
from leadline.store.folder import RunFolder
from leadline.store.launches import EVENTS, collect_launch
from leadline.store.stream import EventReader

# A probe reports every point; one that is silent for longer than this beyond a point's own time
# hangs.
_PATIENCE_S = 120.0
# An installation and placement whose launches fail this often is not tried again.
_MOST_FAILURES = 2


def execute(
    prepared: Prepared, folder: RunFolder, observer: Observer, doctor: list[dict[str, object]]
) -> Run:
    """Carry out every launch, keep all that was measured, and return the run.

    However it ends (failed launches, a time limit, an interrupt), the folder is finished and the
    outcome says how. Raises `UserError` only where the folder itself cannot be written.
    """
    from leadline import machine

    run = _begin(prepared, folder, doctor)
    observer.begin(sum(len(launch.points) for launch in prepared.launches))
    run.machine = machine.facts()
    run.load_before = machine.queue()
    folder.write(run)
    bystanders = machine.Bystanders()
    try:
        outcome = _launch_all(prepared, folder, observer, run)
    except KeyboardInterrupt:
        # Between two launches nobody else catches it.
        outcome = _ended_early("interrupted", prepared.plan, "by SIGINT")
    finally:
        observer.end()
        run.ended = _now()
    run.load_during = bystanders.rates()
    run.load_after = machine.queue()
    run.outcome = outcome
    folder.finish(run)
    return run


def _begin(prepared: Prepared, folder: RunFolder, doctor: list[dict[str, object]]) -> Run:
    benchmarks = {
        name: each for offer in prepared.offers for name, each in offer.benchmarks.items()
    }
    used = {point.benchmark for point in prepared.points}
    flags = next(iter(prepared.offers[0].probes.values())).description.flags
    return Run(
        run=folder.name,
        leadline=__version__,
        plan=msgspec.structs.replace(prepared.plan, seed=prepared.seed),
        started=_now(),
        outcome=Outcome(state="running"),
        doctor=doctor,
        installations=[offer.installation for offer in prepared.offers],
        benchmarks=[each for name, each in sorted(benchmarks.items()) if name in used],
        flags=list(flags),
        points=list(prepared.points),
    )


def _launch_all(prepared: Prepared, folder: RunFolder, observer: Observer, run: Run) -> Outcome:
    deadline = time.monotonic() + (prepared.plan.time_limit_s or float("inf"))
    failures: dict[tuple[str, ...], int] = {}
    for launch in prepared.launches:
        group = (launch.mpi, str(launch.placement), *launch.knobs.values())
        if failures.get(group, 0) >= _MOST_FAILURES:
            continue
        left = deadline - time.monotonic()
        if left <= 0:
            return _ended_early("timed out", prepared.plan)
        done = _launch(prepared, launch, folder, observer, left)
        run.launches.append(done)
        if folder.is_full:
            return Outcome(
                state="incomplete",
                message=f"the disk of {folder.path} is full: free some space, then measure what "
                "is missing; every finished point is kept",
            )
        folder.write(run)
        state = done.outcome.state
        if state == "interrupted" or (state == "timed out" and time.monotonic() >= deadline):
            return _ended_early(state, prepared.plan, done.outcome.message)
        if done.outcome.state != "complete":
            failures[group] = failures.get(group, 0) + 1
            observer.warn(f"launch {launch.launch} ({launch.mpi}): {done.outcome.message}")
    return _overall(run)


def _launch(
    prepared: Prepared, launch: LaunchPlan, folder: RunFolder, observer: Observer, left: float
) -> Launch:
    installation = prepared.offer(launch).installation
    oversubscribed = prepared.oversubscribed(launch)
    knobs = [f"{name}={value}" for name, value in launch.knobs.items()]
    where = ", ".join([launch.mpi, str(launch.placement), *knobs])
    observer.doing(f"launch {launch.launch + 1} of {len(prepared.launches)}, {where}")
    place = folder.launch_folder(launch.launch)
    plan_file = place / "plan.txt"
    job = prepared.job(launch, plan_file, place)
    plan_file.write_text(
        plan_text(prepared.plan, launch, prepared.seed, oversubscribed, job.controls)
    )
    start = prepared.start(launch, plan_file, place)
    tag = f"{folder.name}/{launch.launch}"
    started = _now()
    follower = _Follower(launch, place / EVENTS, observer)
    ended = run_supervised(
        start,
        stdout=place / "stdout.txt",
        stderr=place / "stderr.txt",
        tag=tag,
        tick=follower,
        time_limit_s=None if left == float("inf") else left,
        stall_limit_s=_PATIENCE_S + 3.0 * prepared.plan.stopping.seconds,
    )
    if ended.state != "complete" and job.hosts:
        for host in end_remote(job.hosts, tag, job.remote_shell):
            observer.warn(f"host {host} was not reached to end what this launch left there")
    base = Launch(
        launch=launch.launch,
        mpi=launch.mpi,
        transport=launch.transport,
        argv=start.argv,
        environment=start.environment,
        processes=launch.placement.processes,
        nodes=launch.placement.nodes,
        processes_per_node=launch.placement.processes_per_node,
        oversubscribed=oversubscribed,
        started=started,
        ended=_now(),
        outcome=_outcome(ended, place, launcher_for(job, installation).name, follower.error),
        knobs=launch.knobs,
        asked_controls=job.controls,
    )
    done = collect_launch(place, base)
    try:
        if done.library and launch.transport == "mpi":
            check_library(installation, done.library)
    except UserError as error:
        wrong = Outcome(state="failed", message=str(error))
        return msgspec.structs.replace(done, outcome=wrong, points=())
    return done


def _ended_early(
    state: Literal["interrupted", "timed out"], plan: Plan, message: str = ""
) -> Outcome:
    if state == "timed out":
        message = f"the time limit of {plan.time_limit_s:g} s was reached"
    return Outcome(state=state, message=f"{message}; every finished point is kept")


class _Follower:
    """Tells the observer what a growing stream of events says, and keeps the probe's error."""

    def __init__(self, launch: LaunchPlan, events: Path, observer: Observer) -> None:
        self._launch = launch.launch
        self._points = {point.index: point for point in launch.points}
        self._events = EventReader(events)
        self._observer = observer
        self.error = ""

    def __call__(self) -> bool:
        news = False
        for event in self._events.new():
            news = True
            if event["event"] == "begin":
                self._observer.measuring(self._launch, self._points[event["point"]])
            elif event["event"] in ("point", "skip"):
                self._observer.finished(self._launch, self._points[event["point"]])
            elif event["event"] == "error":
                self.error = event["message"]
        return news


def _outcome(ended: Ended, place: Path, launcher: str, error: str) -> Outcome:
    if ended.state != "failed":
        return Outcome(state=ended.state, message=ended.message)
    if error:
        return Outcome(state="failed", message=error)
    output = "\n".join(
        (place / name).read_text(errors="replace") for name in ("stdout.txt", "stderr.txt")
    )
    return Outcome(state="failed", message=explain(launcher, output, ended.returncode))


def _overall(run: Run) -> Outcome:
    failed = [launch for launch in run.launches if launch.outcome.state != "complete"]
    measured = any(launch.points for launch in run.launches)
    if not failed and measured:
        return Outcome(state="complete")
    if not failed:
        reasons = dict.fromkeys(skip.reason for each in run.launches for skip in each.skipped)
        message = f"nothing can be measured here: {'; '.join(reasons)}"
        return Outcome(state="failed", message=message)
    first = failed[0]
    return Outcome(
        state="incomplete" if measured else "failed",
        message=f"{len(failed)} of {len(run.launches)} launches failed; launch {first.launch} "
        f"({first.mpi}): {first.outcome.message}",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
