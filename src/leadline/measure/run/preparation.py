"""A plan checked against this machine: nothing has started yet."""

import os
import random
import shutil
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.measure.build.runtime import runtime_for
from leadline.measure.knobs.knob import DEFAULT, Unsupported, with_knobs
from leadline.measure.launch.slots import available_cores, check_slots, exceeds_cores
from leadline.measure.launch.start import finds_nodes, start_for
from leadline.measure.plan.checks import check_plan, hosts_of
from leadline.measure.plan.kernels import with_catalogues, with_libraries
from leadline.measure.plan.machines import Machine, machine_of
from leadline.measure.plan.neighbours import check_neighbours
from leadline.measure.plan.points import expand
from leadline.measure.plan.roofs import with_roofs
from leadline.measure.plan.schedule import schedule
from leadline.measure.plan.selection import ProbeSet, Say, available_probes, named, omissions
from leadline.model.hosts import Hosts
from leadline.model.job import Job, Start
from leadline.model.plan import LaunchPlan, Plan, Point, launch_key
from leadline.store.renamed import current_plan

PLAN_FILE = "plan.txt"
# Stands for the launch's folder in jobs, which are made before there is a run folder.
_FOLDER = "/leadline-launch-folder"
# A probe reports every point; one that is silent for longer than this beyond a point's own time
# hangs, unless a run says otherwise.
_PATIENCE_S = 120.0
# A simulator notices by itself that nothing can happen any more, and may need hours for a point of
# many ranks.
_SIMULATED_PATIENCE_S = 24 * 3600.0


class PreparedLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """A launch with all that starts it, which is the same in every round of the run."""

    plan: LaunchPlan
    job: Job
    start: Start
    oversubscribed: bool

    def start_in(self, folder: Path) -> Start:
        """Return what is executed for the launch whose folder is `folder`."""

        def named(text: str) -> str:
            return text.replace(_FOLDER, str(folder))

        start = self.start
        return msgspec.structs.replace(
            start,
            argv=tuple(map(named, start.argv)),
            environment={name: named(text) for name, text in start.environment.items()},
            files={name: named(text) for name, text in start.files.items()},
        )


class Prepared(msgspec.Struct, frozen=True):
    """All that is known before the first launch.

    A run that measures again what looked slower in another `confirms` that.
    """

    plan: Plan
    probe_sets: list[ProbeSet]
    points: list[Point]
    launches: list[PreparedLaunch]
    seed: int
    machine: Machine | None = None
    patience_s: float = _PATIENCE_S
    confirms: str = ""

    @property
    def stall_limit_s(self) -> float:
        """After how many seconds without any news a probe hangs."""
        if self.plan.platform:
            return _SIMULATED_PATIENCE_S
        return self.patience_s + 3.0 * self.plan.stopping.seconds


def prepare(plan: Plan, say: Say) -> Prepared:
    """Check `plan` and return what it means here; probes are built where they have to be.

    Raises `UserError` for the first thing that cannot be done.
    """
    plan = current_plan(plan)
    check_plan(plan)
    machine = machine_of(plan, plan.placements)
    hosts = hosts_of(plan)
    names = [name for entry in plan.entries for name in entry.benchmarks]
    optional = [name for entry in plan.entries if entry.optional for name in entry.benchmarks]
    probe_sets = available_probes(names, plan.mpi, say, optional, simulated=bool(plan.platform))
    plan = _drop_unknown_benchmarks(plan, probe_sets, say)
    names = [name for entry in plan.entries for name in entry.benchmarks]
    for line in omissions(names, plan.mpi, probe_sets, bool(plan.platform)):
        say(line)
    plan, probe_sets, catalogues = with_catalogues(plan, probe_sets, say)
    points = expand(plan, probe_sets, sys.maxsize if plan.batch else _memory_bytes())
    points = with_libraries(points, probe_sets, catalogues, say)
    # A roof is what undisturbed benchmarks reach.
    if plan.roofs and not plan.victims:
        points = with_roofs(points, probe_sets)
    described = [probe.description for each in probe_sets for probe in each.probes.values()]
    check_neighbours(plan, points, described)
    seed = random.SystemRandom().randrange(2**31) if plan.seed is None else plan.seed
    scheduled = schedule(plan, points, seed)
    groups = {launch_key(launch.points[0]): launch for launch in scheduled}
    cores = available_cores()
    found = _prepare_supported(
        [groups[group] for group in dict.fromkeys(map(launch_key, points))],
        lambda launch: _prepare_launch(plan, launch, probe_sets, hosts, machine, cores),
        say,
    )
    kept = {launch_key(each.plan.points[0]): each for each in _drop_repeats(found, say)}
    for each in kept.values():
        _check_order(plan, each.job)
        check_slots(each.job, cores)
    _check_launcher(plan, hosts, next(iter(kept.values())).start)
    _build_runtimes(kept.values(), probe_sets, say)
    launches = [
        msgspec.structs.replace(
            kept[launch_key(launch.points[0])], plan=msgspec.structs.replace(launch, launch=number)
        )
        for number, launch in enumerate(
            each for each in scheduled if launch_key(each.points[0]) in kept
        )
    ]
    points = [point for point in points if launch_key(point) in kept]
    return Prepared(plan, probe_sets, points, launches, seed, machine)


def further_launches(
    prepared: Prepared, points: Collection[int], rounds: int, first: int
) -> list[PreparedLaunch]:
    """Return `rounds` launches more of the points with these indices, in turn as all others.

    Their numbers start with `first`.
    """
    kept = {launch_key(each.plan.points[0]): each for each in prepared.launches}
    plan = msgspec.structs.replace(prepared.plan, launches=rounds)
    chosen = [point for point in prepared.points if point.index in points]
    return [
        msgspec.structs.replace(
            kept[launch_key(launch.points[0])],
            plan=msgspec.structs.replace(launch, launch=first + number),
        )
        for number, launch in enumerate(schedule(plan, chosen, prepared.seed + first))
    ]


def _prepare_launch(
    plan: Plan,
    launch: LaunchPlan,
    probe_sets: list[ProbeSet],
    hosts: Hosts,
    machine: Machine | None,
    cores: int,
) -> PreparedLaunch:
    """Return the launch with its job. Raises `Unsupported` where it cannot be had."""
    probe_set = next(each for each in probe_sets if each.installation.name == launch.mpi)
    split = ("--victims", str(plan.victims), "--neighbours", str(launch.neighbours))
    job = Job(
        program=(
            str(probe_set.probes[launch.api].path),
            *("--plan", f"{_FOLDER}/{PLAN_FILE}", "--out", _FOLDER),
            *(split if plan.victims else ()),
        ),
        placement=launch.placement,
        api=launch.api,
        bind=plan.bind,
        oversubscribe=plan.oversubscribe,
        launcher=plan.launcher,
        elsewhere=bool(plan.batch) or finds_nodes(plan.launcher),
        folder=_FOLDER,
        environment=machine.environment if machine else {},
        simulation=machine.simulations[launch.placement] if machine else None,
        hosts=hosts,
    )
    job = with_knobs(job, probe_set.installation, launch.knobs)
    return PreparedLaunch(
        plan=launch,
        job=job,
        start=start_for(job, probe_set.installation),
        oversubscribed=exceeds_cores(job, cores),
    )


def _prepare_supported(
    launches: Iterable[LaunchPlan], prepare_one: Callable[[LaunchPlan], PreparedLaunch], say: Say
) -> list[PreparedLaunch]:
    """Return the launches without those whose knobs some of the installations do not have.

    Raises `UserError` where nothing is left but what the libraries do by themselves.
    """
    lacking: dict[str, None] = {}
    found = []
    for launch in launches:
        try:
            found.append(prepare_one(launch))
        except Unsupported as error:
            lacking[str(error)] = None
    if lacking and all(value == DEFAULT for each in found for value in each.plan.knobs.values()):
        raise UserError("; ".join(lacking))
    for line in lacking:
        say(f"left out: {line}")
    return found


def _drop_repeats(launches: Iterable[PreparedLaunch], say: Say) -> list[PreparedLaunch]:
    """Return the launches without those whose knobs come to the same job as others before them.

    So do all orders of ranks on one node.
    """
    kept: list[PreparedLaunch] = []
    repeated: dict[int, list[str]] = {}
    for launch in launches:
        own = (launch.plan.mpi, launch.job)
        same = (i for i, each in enumerate(kept) if (each.plan.mpi, each.job) == own)
        first = next(same, None)
        if first is None:
            kept.append(launch)
        else:
            repeated.setdefault(first, []).append(_knobs_text(launch.plan))
    for index, others in repeated.items():
        first_plan = kept[index].plan
        say(
            f"on {first_plan.placement} with {first_plan.mpi} {', '.join(others)} would be the "
            f"same as {_knobs_text(first_plan)}: measured once"
        )
    return kept


def _check_order(plan: Plan, job: Job) -> None:
    """Hold jobs that are split by nodes to consecutive ranks: others would be split elsewhere."""
    if plan.victims and job.ranks_by_node:
        raise UserError(
            f"victims {plan.victims}: an order of ranks does not go with them: leave out --order"
        )


def _check_launcher(plan: Plan, hosts: Hosts, start: Start) -> None:
    """Hold a resource manager's launcher, which no installation brings, to be here.

    Those of jobs are looked for where the jobs run.
    """
    if not finds_nodes(plan.launcher) or plan.batch:
        return
    program = start.argv[len(hosts.prefix)]
    if shutil.which(program) is None:
        raise UserError(
            f"launcher {plan.launcher}: {program} is not on the PATH: start leadline where it is, "
            "or leave out --launcher for the MPI's own"
        )


def _build_runtimes(
    launches: Iterable[PreparedLaunch], probe_sets: list[ProbeSet], say: Say
) -> None:
    """Build what launches preload; a profile that is missing would leave nothing to measure.

    An empty name asks for none: the ranks learn, or are only reported on.
    """
    profiles = [
        (each.plan.mpi, each.job.environment["LEADLINE_PROFILE"])
        for each in launches
        if each.job.runtime
    ]
    for name, profile in profiles:
        if profile and not Path(profile).is_file():
            raise UserError(
                f"knob runtime with {name}: there is no profile {profile}: "
                f"`leadline tune --mpi {name}` makes one, or name another in LEADLINE_PROFILE"
            )
    for probe_set in probe_sets:
        if probe_set.installation.name in dict(profiles):
            runtime_for(probe_set.installation, say)


def _drop_unknown_benchmarks(plan: Plan, probe_sets: list[ProbeSet], say: Say) -> Plan:
    """Return `plan` without those optional benchmarks that no probe here has."""
    known = {name for probe_set in probe_sets for name in probe_set.benchmarks}
    entries, lacking = [], []
    for entry in plan.entries:
        there = [n for n in entry.benchmarks if not entry.optional or known & {*named(n, known)}]
        lacking += [name for name in entry.benchmarks if name not in there]
        if there:
            entries.append(msgspec.structs.replace(entry, benchmarks=tuple(there)))
    if not entries:
        raise UserError(f"no probe here has {', '.join(lacking)}, and the plan has nothing else")
    for name in lacking:
        say(f"{name} is left out: no probe here has it")
    return msgspec.structs.replace(plan, entries=tuple(entries))


def _knobs_text(launch: LaunchPlan) -> str:
    return " ".join(f"{name}={value}" for name, value in launch.knobs.items())


def _memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
