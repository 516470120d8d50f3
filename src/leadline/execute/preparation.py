"""A plan checked against this machine: nothing has started yet."""

import os
import random
import shutil
import sys
from pathlib import Path

import msgspec

from leadline.build.runtime import runtime_for
from leadline.errors import UserError
from leadline.execute.checks import check_plan, hosts_of
from leadline.execute.kernels import with_catalogues, with_libraries
from leadline.execute.machines import Machine, machine_of
from leadline.execute.neighbours import check_neighbours
from leadline.execute.points import expand
from leadline.execute.roofs import with_roofs
from leadline.execute.schedule import schedule
from leadline.execute.selection import Offer, Say, named, offers, omissions
from leadline.knobs.knob import DEFAULT, Unsupported, with_knobs
from leadline.launch.slots import available_cores, check_slots, exceeds_cores
from leadline.launch.start import finds_nodes, start_for
from leadline.model.hosts import Hosts
from leadline.model.job import Job, Start
from leadline.model.plan import LaunchPlan, Plan, Point
from leadline.store.renamed import current_plan

# A probe reports every point; one that is silent for longer than this beyond a point's own time
# hangs.
_PATIENCE_S = 120.0
# A simulator notices by itself that nothing can happen any more, and may need hours for a point of
# many ranks.
_SIMULATED_PATIENCE_S = 24 * 3600.0

_Group = tuple[str, str, str, tuple[tuple[str, str], ...]]


class Prepared(msgspec.Struct, frozen=True):
    """All that is known before the first launch."""

    plan: Plan
    offers: list[Offer]
    points: list[Point]
    launches: list[LaunchPlan]
    seed: int
    hosts: Hosts = Hosts()
    machine: Machine | None = None

    @property
    def stall_limit_s(self) -> float:
        """After how many seconds without any news a probe hangs."""
        if self.plan.platform:
            return _SIMULATED_PATIENCE_S
        return _PATIENCE_S + 3.0 * self.plan.stopping.seconds

    def job(self, launch: LaunchPlan, plan_file: Path, out: Path) -> Job:
        """Return the job of a launch that reads `plan_file` and writes to the folder `out`."""
        offer = self.offer(launch)
        probe = offer.probes[launch.transport]
        machine = self.machine
        job = Job(
            program=(
                *(str(probe.path), "--plan", str(plan_file), "--out", str(out)),
                *(_split(self.plan.victims, launch.neighbours) if self.plan.victims else ()),
            ),
            placement=launch.placement,
            transport=launch.transport,
            bind=self.plan.bind,
            oversubscribe=self.plan.oversubscribe,
            launcher=self.plan.launcher,
            elsewhere=bool(self.plan.batch) or finds_nodes(self.plan.launcher),
            folder=str(out),
            environment=machine.environment if machine else {},
            simulation=machine.simulations[launch.placement] if machine else None,
        )
        return with_knobs(job.on(self.hosts), offer.installation, launch.knobs)

    def start(self, launch: LaunchPlan, plan_file: Path, out: Path) -> Start:
        """Return what is executed for a launch."""
        return start_for(self.job(launch, plan_file, out), self.offer(launch).installation)

    def offer(self, launch: LaunchPlan) -> Offer:
        """Return the offer that a launch uses."""
        return next(each for each in self.offers if each.installation.name == launch.mpi)

    def oversubscribed(self, launch: LaunchPlan) -> bool:
        """Tell whether the ranks of a launch share cores."""
        return exceeds_cores(self.job(launch, Path(), Path()), available_cores())


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
    offered = offers(names, plan.mpi, say, optional, simulated=bool(plan.platform))
    plan = _without_what_is_not_offered(plan, offered, say)
    names = [name for entry in plan.entries for name in entry.benchmarks]
    for line in omissions(names, plan.mpi, offered, bool(plan.platform)):
        say(line)
    plan, offered, catalogues = with_catalogues(plan, offered, say)
    points = expand(plan, offered, sys.maxsize if plan.batch else _memory_bytes())
    points = with_libraries(points, offered, catalogues, say)
    # A roof is what undisturbed benchmarks reach.
    if plan.roofs and not plan.victims:
        points = with_roofs(points, offered)
    described = [probe.description for each in offered for probe in each.probes.values()]
    check_neighbours(plan, points, described)
    seed = random.SystemRandom().randrange(2**31) if plan.seed is None else plan.seed
    launches = schedule(plan, points, seed)
    prepared = Prepared(plan, offered, points, launches, seed, hosts, machine)
    prepared = _without_repeats(_without_unsupported_knobs(prepared, say), say)
    for launch in prepared.launches:
        _check_order(prepared, launch)
        check_slots(prepared.job(launch, Path(), Path()), available_cores())
    _check_launcher(prepared)
    _build_runtimes(prepared, say)
    return prepared


def _split(victims: int, neighbours: int) -> tuple[str, ...]:
    return "--victims", str(victims), "--neighbours", str(neighbours)


def _check_order(prepared: Prepared, launch: LaunchPlan) -> None:
    """Hold jobs that are split by nodes to consecutive ranks: others would be split elsewhere."""
    if prepared.plan.victims and prepared.job(launch, Path(), Path()).ranks_by_node:
        raise UserError(
            f"victims {prepared.plan.victims}: an order of ranks does not go with them: leave out "
            "--order"
        )


def _check_launcher(prepared: Prepared) -> None:
    """Hold a resource manager's launcher, which no installation brings, to be here.

    Those of jobs are looked for where the jobs run.
    """
    plan = prepared.plan
    if not finds_nodes(plan.launcher) or plan.batch:
        return
    program = prepared.start(prepared.launches[0], Path(), Path()).argv[len(prepared.hosts.prefix)]
    if shutil.which(program) is None:
        raise UserError(
            f"launcher {plan.launcher}: {program} is not on the PATH: start leadline where it is, "
            "or leave out --launcher for the MPI's own"
        )


def _build_runtimes(prepared: Prepared, say: Say) -> None:
    """Build what launches preload; a profile that is missing would leave nothing to measure."""
    jobs = [prepared.job(launch, Path(), Path()) for launch in prepared.launches]
    for offer in prepared.offers:
        mine = zip(prepared.launches, jobs, strict=True)
        of_this = [job for launch, job in mine if launch.mpi == offer.installation.name]
        for job in [job for job in of_this if job.runtime][:1]:
            profile = job.environment["LEADLINE_PROFILE"]
            if not Path(profile).is_file():
                raise UserError(
                    f"knob runtime with {offer.installation.name}: there is no profile {profile}: "
                    f"`leadline tune --mpi {offer.installation.name}` makes one, or name another "
                    "in LEADLINE_PROFILE"
                )
            runtime_for(offer.installation, say)


def _without_what_is_not_offered(plan: Plan, offered: list[Offer], say: Say) -> Plan:
    """Return `plan` without those optional benchmarks that no probe here has."""
    known = {name for offer in offered for name in offer.benchmarks}
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


def _without_unsupported_knobs(prepared: Prepared, say: Say) -> Prepared:
    """Return what is left where values of knobs cannot be had with some of the installations.

    Raises `UserError` where nothing is left but what the libraries do by themselves.
    """
    lacking: dict[str, None] = {}
    launches = []
    for launch in prepared.launches:
        try:
            prepared.start(launch, Path(), Path())
            launches.append(launch)
        except Unsupported as error:
            lacking[str(error)] = None
    if not lacking:
        return prepared
    if not any(value != DEFAULT for launch in launches for value in launch.knobs.values()):
        raise UserError("; ".join(lacking))
    for line in lacking:
        say(f"left out: {line}")
    return _only(prepared, launches)


def _without_repeats(prepared: Prepared, say: Say) -> Prepared:
    """Return what is left where values of knobs come to the same job as values before them.

    So do all orders of ranks on one node.
    """
    launches = {_group(launch): launch for launch in prepared.launches}
    first: dict[tuple[str, bytes], LaunchPlan] = {}
    repeated: dict[_Group, list[LaunchPlan]] = {}
    for group in dict.fromkeys(map(_group, prepared.points)):
        launch = launches[group]
        job = msgspec.json.encode(prepared.job(launch, Path(), Path()))
        kept = first.setdefault((launch.mpi, job), launch)
        if kept is not launch:
            repeated.setdefault(_group(kept), []).append(launch)
    for group, same in repeated.items():
        kept, others = launches[group], ", ".join(map(_knobs_text, same))
        say(
            f"on {kept.placement} with {kept.mpi} {others} would be the same as "
            f"{_knobs_text(kept)}: measured once"
        )
    gone = {_group(launch) for same in repeated.values() for launch in same}
    return _only(prepared, [each for each in prepared.launches if _group(each) not in gone])


def _group(of: LaunchPlan | Point) -> _Group:
    """Return what all launches have in common that measure the same points."""
    point = of.points[0] if isinstance(of, LaunchPlan) else of
    return (of.mpi, of.transport, str(point.placement), tuple(of.knobs.items()))


def _knobs_text(launch: LaunchPlan) -> str:
    return " ".join(f"{name}={value}" for name, value in launch.knobs.items())


def _only(prepared: Prepared, launches: list[LaunchPlan]) -> Prepared:
    """Return `prepared` with these of its launches, numbered anew, and their points."""
    left = {point.index for launch in launches for point in launch.points}
    return msgspec.structs.replace(
        prepared,
        launches=[
            msgspec.structs.replace(launch, launch=number) for number, launch in enumerate(launches)
        ],
        points=[point for point in prepared.points if point.index in left],
    )


def _memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
