"""One run, from a prepared plan to a finished folder."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from pathlib import Path
from signal import Signals

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.interrupts import STOPPING, stop_requests
from leadline.core.units import count
from leadline.measure.knobs.inherited import inherited
from leadline.measure.run.batch import STOPPED_BY, BatchRunner, submit
from leadline.measure.run.collection import Follower, collect
from leadline.measure.run.job_variables import noted_variables
from leadline.measure.run.local import LocalRunner
from leadline.measure.run.preparation import Prepared, further_launches
from leadline.measure.run.runner import Runner, describe_launch, format_launch, now
from leadline.model.plan import LaunchKey, launch_key
from leadline.model.progress import Observer
from leadline.model.run import Launch, Outcome, Run
from leadline.site.interference.recorder import InterferenceRecorder
from leadline.site.schedulers.vcluster.allocation import find_cluster
from leadline.site.vcluster import control
from leadline.site.vcluster.namespaces import mark
from leadline.site.vcluster.usage import used
from leadline.store.folder import RunFolder
from leadline.store.parquet import points_with_samples
from leadline.store.removal import remove

# Asked when all launches have ended well: the indices of points that need more, and how many.
More = Callable[[Run, RunFolder], tuple[Collection[int], int] | None]

# Launches of one `launch_key` that fail this often are not tried again.
_MOST_FAILURES = 2


def execute_in(
    runs: Path,
    prepared: Prepared,
    observer: Observer,
    doctor: list[dict[str, object]],
    more: More | None = None,
) -> tuple[RunFolder, Run]:
    """Run every launch as `execute` does, in a new folder in `runs`, and return that too.

    No interrupt comes between the making of the folder and its first use.
    """
    with stop_requests(_stopping(prepared)):
        folder = RunFolder.create(runs, prepared.plan.name)
        return folder, execute(prepared, folder, observer, doctor, more)


def execute(
    prepared: Prepared,
    folder: RunFolder,
    observer: Observer,
    doctor: list[dict[str, object]],
    more: More | None = None,
) -> Run:
    """Run every launch, keep all that was measured, and return the run.

    `more` says which points are to be launched further, as long as it does; not in a batch job.
    However it ends (failed launches, a time limit, an interrupt), the folder is finished and the
    outcome says how. Raises `UserError` where the folder cannot be written, and where a batch
    system refuses the job; nothing is left then. Raises `KeyboardInterrupt` for an interrupt that
    came when all was measured, after the folder is finished, and for a second one before it is.
    """
    batch = bool(prepared.plan.batch)
    with stop_requests(_stopping(prepared)) as requests:
        run = _begin(prepared, folder, doctor)
        observer.begin(sum(len(each.points) for each in prepared.launches))
        launches = [describe_launch(each, folder, batch=batch) for each in prepared.launches]
        measure = _run_in_batch if batch else _run_locally
        try:
            run.outcome = measure(prepared, launches, folder, observer, run, more)
        finally:
            observer.end()
            run.ended = now()
        heeded = len(requests) if run.outcome.state == "interrupted" else 0
        folder.finish(run)
        _check_samples(run, folder)
        if len(requests) > heeded:
            raise KeyboardInterrupt(f"interrupted: `leadline show {run.run}` shows the run")
    return run


def _stopping(prepared: Prepared) -> Sequence[Signals]:
    return STOPPED_BY if prepared.plan.batch else STOPPING


def _check_samples(run: Run, folder: RunFolder) -> None:
    """Call the run incomplete where every repetition of a measured point was set aside."""
    if run.outcome.state != "complete":
        return
    measured = {result.point for launch in run.launches for result in launch.points}
    empty = measured - points_with_samples(folder.parquet, run.flags)
    if empty:
        run.outcome = Outcome(
            state="incomplete",
            message=f"{len(empty)} of {count(len(measured), 'point')} without a figure: every "
            "repetition was set aside",
        )
        folder.write(run)


def _run_locally(
    prepared: Prepared,
    launches: Sequence[Launch],
    folder: RunFolder,
    observer: Observer,
    run: Run,
    more: More | None,
) -> Outcome:
    from leadline.site import hardware as machine

    run.machine = machine.facts()
    lab = find_cluster(prepared.plan.hosts)
    if lab is not None:
        run.machine["virtual_cluster"] = control.facts(lab)
    run.variables = inherited(run.installations, os.environ)
    run.load_before = machine.queue()
    folder.write(run)
    other_load = machine.OtherLoad()
    # Times of a simulated machine know nothing of this one.
    recorder = None if prepared.plan.platform else _recorder(run.run, lab)
    runner = LocalRunner(prepared, folder, observer)
    with used(paths.lab(lab), run.run) if lab is not None else nullcontext():
        outcome = run_launches(launches, runner, folder, observer, run, recorder)
        first = len(launches)
        while more and outcome.state == "complete" and (asked := more(run, folder)):
            further = further_launches(prepared, *asked, first)
            first += len(further)
            runner.add(further)
            observer.end()
            observer.begin(sum(len(each.points) for each in further))
            described = [describe_launch(each, folder, batch=False) for each in further]
            outcome = run_launches(described, runner, folder, observer, run, recorder)
    if recorder:
        run.load_during = other_load.rates()
    run.load_after = machine.queue()
    return outcome


def _recorder(run: str, lab: str | None) -> InterferenceRecorder:
    if lab is None:
        return InterferenceRecorder(run)
    return InterferenceRecorder(run, virtual=True, network=mark(paths.lab(lab)))


def _run_in_batch(
    prepared: Prepared,
    launches: Sequence[Launch],
    folder: RunFolder,
    observer: Observer,
    run: Run,
    more: More | None,
) -> Outcome:
    assert more is None
    folder.write(run)
    try:
        run.batch = submit(prepared, launches, folder)
    except UserError:
        folder.close()
        remove(folder)
        raise
    folder.write(run)
    observer.doing(f"job {run.batch.job} of {run.batch.system} is submitted")
    runner = BatchRunner(
        run.batch, observer, len(launches), prepared.plan.time_limit_s, prepared.stall_limit_s
    )
    recorder = InterferenceRecorder(run.run, job=run.batch)
    outcome = run_launches(launches, runner, folder, observer, run, recorder)
    run.machine = {"host": runner.nodes} if runner.nodes else {}
    run.variables = noted_variables(run.installations, folder.path)
    return outcome


def _begin(prepared: Prepared, folder: RunFolder, doctor: list[dict[str, object]]) -> Run:
    benchmarks = {
        name: each
        for probe_set in prepared.probe_sets
        for name, each in probe_set.benchmarks.items()
    }
    used = {point.benchmark for point in prepared.points}
    flags = next(iter(prepared.probe_sets[0].probes.values())).description.flags
    platform = prepared.machine.platform if prepared.machine else None
    return Run(
        run=folder.name,
        leadline=__version__,
        plan=msgspec.structs.replace(prepared.plan, seed=prepared.seed),
        started=now(),
        outcome=Outcome(state="running"),
        doctor=doctor,
        installations=[probe_set.installation for probe_set in prepared.probe_sets],
        benchmarks=[each for name, each in sorted(benchmarks.items()) if name in used],
        flags=list(flags),
        points=list(prepared.points),
        platform=platform,
        platform_digest=platform.digest if platform else "",
        confirms=prepared.confirms,
    )


def run_launches(
    launches: Sequence[Launch],
    runner: Runner,
    folder: RunFolder,
    observer: Observer,
    run: Run,
    recorder: InterferenceRecorder | None = None,
) -> Outcome:
    """Add what came of each of `launches` to `run`, and return how the whole of it ended.

    Without a `recorder` interference is not known.
    """
    with stop_requests() as requests:
        try:
            return _run_all(requests, launches, runner, folder, observer, run, recorder)
        except KeyboardInterrupt:
            # Raised by an observer, or where signals are not leadline's to handle.
            return _name_early_end(Outcome(state="interrupted", message="by SIGINT"), run)
        finally:
            runner.close()


def _run_all(
    requests: Sequence[Signals],
    launches: Sequence[Launch],
    runner: Runner,
    folder: RunFolder,
    observer: Observer,
    run: Run,
    recorder: InterferenceRecorder | None,
) -> Outcome:
    installations = {each.name: each for each in run.installations}
    failures: Counter[LaunchKey] = Counter()
    left_out: Counter[LaunchKey] = Counter()
    warnings = _Warnings(observer)
    for launch in launches:
        if requests:
            outcome = Outcome(state="interrupted", message=f"by {requests[0].name}")
            return _name_early_end(outcome, run)
        place = folder.launch_path(launch.launch)
        key = launch_key(launch)
        if failures[key] >= _MOST_FAILURES:
            if key not in left_out:
                warnings.add(_left_out_line(launch))
            left_out[key] += 1
            runner.leave_out(place)
            continue
        follower = Follower(launch.launch, run.points, place, observer)
        tick = recorder.watch(launch, follower) if recorder else follower
        end = runner.run(launch, place, tick)
        if end.started:
            done = collect(launch, place, end, follower.error, installations[launch.mpi])
            if recorder:
                done = msgspec.structs.replace(done, company=recorder.interference_of(done))
            run.launches.append(done)
            if folder.is_full:
                return Outcome(
                    state="incomplete",
                    message=f"the disk of {folder.path} is full: free some space, then measure "
                    "what is missing; every finished point is kept",
                )
            folder.write(run)
        if end.final:
            return _name_early_end(end.outcome, run)
        if end.started and done.outcome.state != "complete":
            failures[key] += 1
            reason = done.outcome.message
            warnings.add(f"launch {launch.launch + 1} ({launch.mpi}): {reason}", reason)
        if end.started and done.points:
            warnings.release()
    return _overall(run, left_out.total())


def _left_out_line(launch: Launch) -> str:
    what = f"{launch.api} programs with {format_launch(launch)}"
    return f"left out: further launches of {what}: {_MOST_FAILURES} have failed"


class _Warnings:
    """Warnings of launches that failed, each reason once.

    Where nothing at all is measured the outcome says it: until something is, all wait.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._said: set[str] = set()
        self._waiting: list[str] | None = []

    def add(self, line: str, reason: str = "") -> None:
        if (reason or line) in self._said:
            return
        self._said.add(reason or line)
        if self._waiting is None:
            self._observer.warn(line)
        else:
            self._waiting.append(line)

    def release(self) -> None:
        for line in self._waiting or ():
            self._observer.warn(line)
        self._waiting = None


def _name_early_end(outcome: Outcome, run: Run) -> Outcome:
    if outcome.state == "incomplete" and not any(launch.points for launch in run.launches):
        return Outcome(state="failed", message=outcome.message)
    return msgspec.structs.replace(
        outcome, message=f"{outcome.message}; every finished point is kept"
    )


def _overall(run: Run, left_out: int) -> Outcome:
    """Return how the run ended, `left_out` of whose launches were not tried."""
    failed = [launch for launch in run.launches if launch.outcome.state != "complete"]
    measured = any(launch.points for launch in run.launches)
    if not failed and measured:
        return Outcome(state="complete")
    if not failed:
        reasons = dict.fromkeys(skip.reason for each in run.launches for skip in each.skipped)
        message = f"nothing can be measured here: {'; '.join(reasons)}"
        return Outcome(state="failed", message=message)
    first = failed[0]
    more = f", {left_out} more left out" if left_out else ""
    return Outcome(
        state="incomplete" if measured else "failed",
        message=f"{len(failed)} of {len(run.launches)} launches failed{more}; "
        f"launch {first.launch + 1} ({first.mpi}): {first.outcome.message}",
    )
