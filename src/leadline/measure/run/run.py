"""One run: from a prepared plan to a finished folder, also where leadline was killed meanwhile."""

import math
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from pathlib import Path
from signal import Signals

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import STOPPING, stop_requests
from leadline.core.units import count
from leadline.measure.knobs.inherited import inherited
from leadline.measure.launch.supervise import now
from leadline.measure.run.batch import STOPPED_BY, BatchRunner, noted_variables, submit
from leadline.measure.run.preparation import Prepared, describe_launches, further_launches
from leadline.measure.run.runner import LocalRunner
from leadline.measure.run.session import Session
from leadline.model.progress import Observer, Silent
from leadline.model.run import Outcome, Run
from leadline.site.interference.recorder import InterferenceRecorder
from leadline.site.schedulers.batch_system import batch_system
from leadline.site.schedulers.vcluster.allocation import find_cluster
from leadline.site.vcluster import control
from leadline.site.vcluster.namespaces import mark
from leadline.site.vcluster.usage import used
from leadline.store.folder import RunFolder
from leadline.store.launches import noted_launch
from leadline.store.parquet import points_with_samples
from leadline.store.removal import remove

# Asked when all launches have ended well: the indices of points that need more, and how many.
More = Callable[[Run, RunFolder], tuple[Collection[int], int] | None]


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
    However it ends, the folder is finished and the outcome says how. Raises `UserError` where the
    folder cannot be written or a batch system refuses the job, and `KeyboardInterrupt` for an
    interrupt after all was measured, or a second one before the folder is finished.
    """
    with stop_requests(_stopping(prepared)) as requests:
        session = Session(_begin(prepared, folder, doctor), folder, observer)
        run = session.run
        observer.begin(sum(len(each.points) for each in prepared.launches))
        try:
            if prepared.plan.batch:
                run.outcome = _run_in_batch(prepared, session)
            else:
                run.outcome = _run_locally(prepared, session, more)
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


def _run_locally(prepared: Prepared, session: Session, more: More | None) -> Outcome:
    from leadline.site import hardware as machine

    run, folder, observer = session.run, session.folder, session.observer
    launches = describe_launches(prepared, prepared.launches, folder)
    run.machine = machine.facts()
    lab = find_cluster(prepared.plan.hosts)
    if lab is not None:
        run.machine["virtual_cluster"] = control.facts(lab)
    run.variables = inherited(run.installations, os.environ)
    run.load_before = machine.queue()
    folder.write(run)
    other_load = machine.OtherLoad()
    if not prepared.plan.platform:  # times of a simulated machine know nothing of this one
        network = "" if lab is None else mark(paths.lab(lab))
        session.recorder = InterferenceRecorder(run.run, virtual=lab is not None, network=network)
    runner = LocalRunner(prepared, folder, observer)
    with used(paths.lab(lab), run.run) if lab is not None else nullcontext():
        planned = first = len(launches)
        outcome = within_budget(run, session.carry_out(launches, runner), planned)
        while more and outcome == Outcome(state="complete") and (wanted := more(run, folder)):
            further = further_launches(prepared, *wanted, first)
            first += len(further)
            runner.add(further)
            observer.end()
            observer.begin(sum(len(each.points) for each in further))
            described = describe_launches(prepared, further, folder)
            outcome = within_budget(run, session.carry_out(described, runner), planned)
    if session.recorder:
        run.load_during = other_load.rates()
    run.load_after = machine.queue()
    return outcome


def within_budget(run: Run, outcome: Outcome, planned: int) -> Outcome:
    """Return how the `planned` launches ended: complete if only the budget left out some of them.

    For that each point must have been measured at least once. The message says what is open.
    """
    budget_s = run.plan.budget_s
    tried = {each.point for launch in run.launches for each in launch.points}
    tried |= {each.point for launch in run.launches for each in launch.skipped}
    if outcome.state != "timed out" or budget_s is None:
        return outcome
    if run.plan.time_limit_s is not None and run.plan.time_limit_s <= budget_s:
        return outcome
    if not tried.issuperset(point.index for point in run.points):
        return outcome
    done = sum(launch.outcome.state == "complete" for launch in run.launches)
    if done >= planned:
        return Outcome(state="complete")
    enough = math.ceil(budget_s * planned / max(1, done) / 10) * 10
    return Outcome(
        state="complete",
        message=f"{done} of {count(planned, 'launch')} fitted into the budget of {budget_s:g} s: "
        f"--budget {enough} measures all",
    )


def _run_in_batch(prepared: Prepared, session: Session) -> Outcome:
    run, folder = session.run, session.folder
    launches = describe_launches(prepared, prepared.launches, folder)
    folder.write(run)
    try:
        run.batch = submit(prepared, launches, folder)
    except UserError:
        folder.close()
        remove(folder)
        raise
    folder.write(run)
    session.observer.doing(f"job {run.batch.job} of {run.batch.system} is submitted")
    runner = BatchRunner(
        run.batch,
        session.observer,
        len(launches),
        min(filter(None, (run.plan.time_limit_s, run.plan.budget_s)), default=None),
        prepared.stall_limit_s,
    )
    session.recorder = InterferenceRecorder(run.run, job=run.batch)
    outcome = within_budget(run, session.carry_out(launches, runner), len(launches))
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


def recover(folder: RunFolder) -> Run:
    """Finish the run with what its launches, or its batch job, left, and return it.

    Raises `UserError` where the run is still being measured.
    """
    run = folder.stored()
    if folder.writer or run.batch is None or run.outcome.state != "running":
        return folder.recover()
    system, job = batch_system(run.batch.system), run.batch.job
    state = system.state(job)
    if state is None:
        raise UserError(
            f"{system.name} does not say what became of job {job}: try again later, or where "
            "its commands are"
        )
    if state.phase != "ended":
        raise UserError(
            f"job {job} of run {run.run} is {state.phase}: wait for its end, or end it with "
            f"`{system.cancel_command} {job}`"
        )
    known = {launch.launch for launch in run.launches}
    places = sorted((folder.path / "launches").iterdir())
    left = [each for each in map(noted_launch, places) if each and each.launch not in known]
    runner = BatchRunner(run.batch, Silent(), len(left))
    run.outcome = Session(run, folder, Silent()).carry_out(left, runner)
    run.machine = {"host": runner.nodes} if runner.nodes else {}
    run.ended = max((launch.ended for launch in run.launches), default=now())
    folder.finish(run)
    return run
