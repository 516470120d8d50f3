"""One run, from a prepared plan to a finished folder."""

from collections.abc import Sequence

import msgspec

from leadline import __version__
from leadline.execute.carrier import Carrier, launch_of, now
from leadline.execute.collection import Follower, collect
from leadline.execute.here import Here
from leadline.execute.preparation import Prepared
from leadline.model.progress import Observer
from leadline.model.run import Launch, Outcome, Run
from leadline.store.folder import RunFolder

# An installation, placement and choice of knobs whose launches fail this often is not tried again.
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
        carrier = Here(prepared, folder, observer)
        launches = [launch_of(prepared, plan, folder) for plan in prepared.launches]
        outcome = _launch_all(launches, carrier, folder, observer, run)
    except KeyboardInterrupt:
        # Between two launches nobody else catches it.
        outcome = _ended_early(Outcome(state="interrupted", message="by SIGINT"))
    finally:
        observer.end()
        run.ended = now()
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
        started=now(),
        outcome=Outcome(state="running"),
        doctor=doctor,
        installations=[offer.installation for offer in prepared.offers],
        benchmarks=[each for name, each in sorted(benchmarks.items()) if name in used],
        flags=list(flags),
        points=list(prepared.points),
    )


def _launch_all(
    launches: Sequence[Launch], carrier: Carrier, folder: RunFolder, observer: Observer, run: Run
) -> Outcome:
    installations = {each.name: each for each in run.installations}
    failures: dict[tuple[object, ...], int] = {}
    for launch in launches:
        placement = (launch.nodes, launch.processes_per_node)
        group = (launch.mpi, placement, *launch.knobs.values())
        if failures.get(group, 0) >= _MOST_FAILURES:
            continue
        place = folder.launch_path(launch.launch)
        follower = Follower(launch.launch, run.points, place, observer)
        carried = carrier.carry_out(launch, place, follower)
        if carried.started:
            done = collect(launch, place, carried, follower.error, installations[launch.mpi])
            run.launches.append(done)
            if folder.is_full:
                return Outcome(
                    state="incomplete",
                    message=f"the disk of {folder.path} is full: free some space, then measure "
                    "what is missing; every finished point is kept",
                )
            folder.write(run)
        if carried.final:
            return _ended_early(carried.outcome)
        if carried.started and done.outcome.state != "complete":
            failures[group] = failures.get(group, 0) + 1
            observer.warn(f"launch {launch.launch} ({launch.mpi}): {done.outcome.message}")
    return _overall(run)


def _ended_early(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(
        outcome, message=f"{outcome.message}; every finished point is kept"
    )


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
