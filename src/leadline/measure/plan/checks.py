"""What is known of a plan before any probe is built: a build takes a minute, a mistake a moment."""

import fnmatch
from collections.abc import Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.core.shipped import benchmarks, congestors, source_folder
from leadline.measure.build.parts import catalogue
from leadline.measure.knobs.known import combinations, knob_values
from leadline.measure.launch.neighbour_job import check_neighbour_job
from leadline.measure.launch.slots import available_cores, check_slots
from leadline.measure.launch.start import finds_nodes
from leadline.measure.plan.points import placements_for
from leadline.measure.plan.schedule import jobs_of
from leadline.measure.plan.selection import FAKE, is_pattern
from leadline.model.hosts import Hosts
from leadline.model.interference import BESIDE
from leadline.model.job import Job, Simulation
from leadline.model.placement import Placement, parse_placement
from leadline.model.plan import Plan
from leadline.model.platform import Platform
from leadline.site.mpi.choice import choose
from leadline.site.schedulers.allocation import hosts_for
from leadline.site.schedulers.batch_system import batch_system
from leadline.site.schedulers.script import host_names
from leadline.topology.platforms.catalogue import change_platform, read_platform
from leadline.topology.platforms.simulation import VARIABLE, messages, simulation


def check_plan(plan: Plan) -> tuple["Machine | None", Hosts]:
    """Hold a plan to all that is known without a probe; axes and settings are a probe's to check.

    Return the machine on which it is simulated, None for a real one, and the hosts of its ranks.
    Raises `UserError` for the first thing that cannot be done.
    """
    _check_numbers(plan)
    _check_placements(plan)
    platform = platform_of(plan)
    machine = None
    if platform:
        simulations = {each: simulation(platform, each) for each in plan.placements}
        machine = Machine(platform, simulations)
    hosts = hosts_of(plan)
    required = [name for entry in plan.entries if not entry.optional for name in entry.benchmarks]
    if not any(entry.benchmarks for entry in plan.entries):
        raise UserError("the plan names no benchmark: `leadline run --list` lists them")
    check_names(required)
    for entry in plan.entries:
        for benchmark in catalogue("mpi").description.benchmarks:
            if benchmark.name in entry.benchmarks:
                list(placements_for(entry, benchmark, plan))
    choose(plan.mpi, simulated=bool(machine))
    list(combinations(plan.knobs))
    kinds = knob_values(BESIDE, plan.knobs[BESIDE]) if BESIDE in plan.knobs else ()
    check_neighbour_job(plan, kinds, congestors(source_folder()))
    jobs_of(plan)
    # A benchmark that is named is measured on all placements, one of a pattern where it fits.
    if not machine and any(not (is_pattern(n) or n.startswith(f"{FAKE}/")) for n in required):
        for placement in plan.placements:
            job = Job(
                program=(),
                placement=placement,
                oversubscribe=plan.oversubscribe,
                elsewhere=bool(plan.batch) or finds_nodes(plan.launcher),
                hosts=hosts,
            )
            check_slots(job, available_cores())
    return machine, hosts


def hosts_of(plan: Plan) -> Hosts:
    """Return where ranks may go: in a job, hosts that have no names before it runs."""
    if not plan.batch:
        return hosts_for(plan.hosts, plan.remote_shell)
    system = batch_system(plan.batch)
    if plan.hosts:
        raise UserError(
            f"hosts {','.join(plan.hosts)}: {system.name} chooses the hosts of a job, so leave out "
            "--hosts, or ask for them with --batch-option"
        )
    names = host_names(max(placement.nodes for placement in plan.placements))
    return Hosts(names=names, remote_shell=plan.remote_shell, bootstrap=system.bootstrap)


def _check_numbers(plan: Plan) -> None:
    stopping = plan.stopping
    for name, value, low, high in (
        ("launches", plan.launches, 1, 1000),
        ("precision", stopping.precision, 1e-4, 1.0),
        ("minimum", stopping.minimum, 1, 10**8),
        ("maximum", stopping.maximum, stopping.minimum, 10**8),
        ("seconds", stopping.seconds, 1e-3, 1e6),
        ("time limit", 1.0 if plan.time_limit_s is None else plan.time_limit_s, 1e-3, 1e9),
        ("budget", 1.0 if plan.budget_s is None else plan.budget_s, 1e-3, 1e9),
        ("seed", plan.seed or 0, 0, 2**62),
    ):
        if not low <= value <= high:
            raise UserError(f"{name} {value:g} is not between {low:g} and {high:g}")


def _check_placements(plan: Plan) -> None:
    """Hold placements that a plan spells as tables to what is allowed in their short form."""
    if not plan.placements:
        raise UserError("the plan has no placement: leave out `placements` for 1x2")
    for placement in plan.placements:
        parse_placement(str(placement))
    for entry in plan.entries:
        for placement in entry.placements:
            if placement not in plan.placements:
                raise UserError(
                    f"{', '.join(entry.benchmarks)} is for placement {placement}, which is not "
                    f"among the plan's {', '.join(map(str, plan.placements))}: change it in the "
                    "entry too, or leave out --place"
                )


def check_names(names: Sequence[str]) -> None:
    """Raise `UserError` for a name or pattern that is no benchmark's, here or with any MPI."""
    there = benchmarks(source_folder())
    for name in names:
        if fnmatch.filter(there, name):
            continue
        family = name.partition("/")[0]
        alike = [each for each in there if each.startswith(f"{family}/")]
        near = nearest(name, there, cutoff=0.7)
        families = ", ".join(sorted({f"{each.partition('/')[0]}/..." for each in there}))
        hint = f"did you mean {near}?" if near else f"there is {', '.join(alike) or families}"
        raise UserError(f"no benchmark {name!r}: {hint} (`leadline run --list` lists them)")


class Machine(msgspec.Struct, frozen=True):
    """A platform, and what a simulator has to know of it for each placement."""

    platform: Platform
    simulations: dict[Placement, Simulation]

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a simulated probe reads."""
        return {VARIABLE: messages(self.platform)}


def platform_of(plan: Plan) -> Platform | None:
    """Return the platform of the plan with the changes that it asks for, None for a real machine.

    Raises `UserError` for an unknown one, and for what only a real machine has.
    """
    if not plan.platform:
        if plan.changes:
            raise UserError("changes are those of a platform: name one, with platform or --on")
        return None
    for name, given in (
        ("hosts", plan.hosts),
        ("launcher", plan.launcher),
        ("remote_shell", plan.remote_shell),
        ("batch", plan.batch),
    ):
        if given:
            raise UserError(
                f"the plan is simulated on {plan.platform}, which has no {name}: leave it out"
            )
    platform = read_platform(plan.platform)
    for change in plan.changes:
        platform = change_platform(platform, change)
    return platform
