"""A plan checked against this machine: nothing has started yet."""

import os
import random
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import HomeError, UserError
from leadline.measure.build.probe import program
from leadline.measure.build.runtime import runtime_for
from leadline.measure.knobs.knob import DEFAULT, Unsupported
from leadline.measure.knobs.known import with_knobs
from leadline.measure.launch.slots import available_cores, check_slots, exceeds_cores
from leadline.measure.launch.start import finds_nodes, start_for
from leadline.measure.plan.checks import Machine, check_plan
from leadline.measure.plan.kernels import with_catalogues, with_libraries
from leadline.measure.plan.points import expand, with_roofs
from leadline.measure.plan.schedule import (
    check_neighbours,
    jobs_of,
    neighbours_of,
    plan_text,
    schedule,
)
from leadline.measure.plan.selection import (
    EVERY,
    ProbeSet,
    Say,
    available_probes,
    named,
    omissions,
)
from leadline.model.hosts import Hosts
from leadline.model.job import Job, Start
from leadline.model.plan import Plan, Point
from leadline.model.run import Launch, LaunchKey, Outcome, by_launch_key, launch_key
from leadline.store.folder import RunFolder
from leadline.store.launches import note_launch
from leadline.store.renamed import current_plan

PLAN_FILE = "plan.txt"
# The words that start the probe of each MPI and API.
Programs = dict[tuple[str, str], tuple[str, ...]]
# Stands for the launch's folder in jobs, which are made before there is a run folder.
_FOLDER = "/leadline-launch-folder"
# A probe reports every point; one that is silent for longer than this beyond a point's own time
# hangs, unless a run says otherwise.
_PATIENCE_S = 120.0
# A simulator notices by itself that nothing can happen any more, and may need hours for a point of
# many ranks.
_SIMULATED_PATIENCE_S = 24 * 3600.0


class PreparedLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """A launch with all that starts it, which is the same in every round of the run.

    Its job has a larger placement than its points where some nodes disturb the others.
    """

    launch: int = 0
    mpi: str
    knobs: dict[str, str]
    points: tuple[Point, ...]
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


def describe_launches(
    run: Prepared, launches: Iterable[PreparedLaunch], folder: RunFolder
) -> list[Launch]:
    """Return what is known of launches before they start; in a batch job hosts have no names."""
    described = []
    for each in launches:
        job = each.job
        start = each.start_in(folder.launch_path(each.launch).absolute())
        described.append(
            Launch(
                launch=each.launch,
                mpi=each.mpi,
                api=job.api,
                launcher=start.launcher,
                argv=start.argv,
                environment=start.environment,
                processes=job.placement.processes,
                nodes=job.placement.nodes,
                processes_per_node=job.placement.processes_per_node,
                oversubscribed=each.oversubscribed,
                started="",
                ended="",
                outcome=Outcome(state="running"),
                knobs=each.knobs,
                asked_controls=job.controls,
                asked_ranks_by_node=job.ranks_by_node,
                asked_hosts=() if run.plan.batch else job.nodes,
            )
        )
    return described


def write_launch_files(
    run: Prepared, prepared: PreparedLaunch, launch: Launch, folder: RunFolder
) -> Start:
    """Make the launch's folder with all that its probe and recovery read; return its start."""
    place = folder.launch_folder(launch.launch)
    start = prepared.start_in(place.absolute())
    text = plan_text(
        run.plan,
        prepared.points,
        run.seed + prepared.launch,
        prepared.oversubscribed,
        prepared.job.controls,
    )
    for name, content in {PLAN_FILE: text, **start.files}.items():
        (place / name).write_text(content)
    note_launch(place, launch)
    return start


def prepare(plan: Plan, say: Say) -> Prepared:
    """Check `plan` and return what it means here; probes are built where they have to be.

    Raises `UserError` for the first thing that cannot be done.
    """
    plan = current_plan(plan)
    machine, hosts = check_plan(plan)
    plan, probe_sets, catalogues = with_catalogues(*_with_probes(plan, say), say)
    points = expand(plan, probe_sets, sys.maxsize if plan.batch else _memory_bytes())
    points = with_libraries(points, probe_sets, catalogues, say)
    # A roof is what undisturbed benchmarks reach.
    if plan.roofs and not plan.victims:
        points = with_roofs(points, probe_sets)
    points, programs = _built(plan, points, probe_sets, say)
    there = {mpi for mpi, _ in programs}
    probe_sets = [each for each in probe_sets if each.installation.name in there]
    described = [probe.description for each in probe_sets for probe in each.probes.values()]
    check_neighbours(plan, points, described)
    seed = random.SystemRandom().randrange(2**31) if plan.seed is None else plan.seed
    launches = _drop_repeats(
        _make_supported(_Maker(plan, probe_sets, programs, hosts, machine), points, say), say
    )
    _check_launches(plan, hosts, launches)
    _build_runtimes(launches, probe_sets, say)
    known = _by_key(launches)
    return Prepared(
        plan,
        probe_sets,
        [point for point in points if launch_key(point) in known],
        _in_turn(known, schedule(points, plan.launches, seed)),
        seed,
        machine,
    )


def _built(
    plan: Plan, points: Sequence[Point], probe_sets: Iterable[ProbeSet], say: Say
) -> tuple[list[Point], Programs]:
    """Build what measures the points; return those that can be measured, and the programs.

    Of all MPIs those for which it does not build are left out, and `say` is told why. Raises
    `UserError` where none is left, and where an MPI that was named is concerned.
    """
    programs: Programs = {}
    reasons = []
    for probe_set in probe_sets:
        mpi = probe_set.installation.name
        for api, probe in probe_set.probes.items():
            wanted = [point for point in points if (point.mpi, point.api) == (mpi, api)]
            named = [(point.benchmark, point.axes) for point in wanted]
            try:
                if wanted:
                    programs[mpi, api] = program(probe_set.installation, api, probe, named, say)
            except UserError as error:
                reasons.append(error)
                if EVERY not in plan.mpi or isinstance(error, HomeError):
                    raise
                say(f"{mpi} is left out: {error}")
    left = [point for point in points if (point.mpi, point.api) in programs]
    if not left and reasons:
        raise reasons[0]
    return left, programs


def _with_probes(plan: Plan, say: Say) -> tuple[Plan, list[ProbeSet]]:
    """Return the plan without the optional benchmarks that no probe here has, and the probes."""
    names = [name for entry in plan.entries for name in entry.benchmarks]
    optional = [name for entry in plan.entries if entry.optional for name in entry.benchmarks]
    simulated = bool(plan.platform)
    probe_sets = available_probes(names, plan.mpi, say, optional, simulated=simulated)
    known = {name for probe_set in probe_sets for name in probe_set.benchmarks}
    lacking = [name for name in optional if known.isdisjoint(named(name, known))]
    entries = []
    for entry in plan.entries:
        there = [name for name in entry.benchmarks if not entry.optional or name not in lacking]
        if there:
            entries.append(msgspec.structs.replace(entry, benchmarks=tuple(there)))
    if not entries:
        raise UserError(f"no probe here has {', '.join(lacking)}, and the plan has nothing else")
    for name in lacking:
        say(f"{name} is left out: no probe here has it")
    names = [name for entry in entries for name in entry.benchmarks]
    for line in omissions(names, plan.mpi, probe_sets, simulated):
        say(line)
    return msgspec.structs.replace(plan, entries=tuple(entries)), probe_sets


def further_launches(
    prepared: Prepared, points: Collection[int], rounds: int, first: int
) -> list[PreparedLaunch]:
    """Return `rounds` launches more of the points with these indices, in turn as all others.

    Their numbers start with `first`.
    """
    chosen = [point for point in prepared.points if point.index in points]
    turns = schedule(chosen, rounds, prepared.seed + first)
    return _in_turn(_by_key(prepared.launches), turns, first)


def _in_turn(
    known: Mapping[LaunchKey, PreparedLaunch], turns: Iterable[tuple[Point, ...]], first: int = 0
) -> list[PreparedLaunch]:
    """Return the launch of each turn's points, numbered; what is not known is left out."""
    left = [points for points in turns if launch_key(points[0]) in known]
    return [
        msgspec.structs.replace(known[launch_key(points[0])], launch=number, points=points)
        for number, points in enumerate(left, first)
    ]


def _by_key(launches: Iterable[PreparedLaunch]) -> dict[LaunchKey, PreparedLaunch]:
    return {launch_key(each.points[0]): each for each in launches}


class _Maker:
    """Makes the launches of a plan."""

    def __init__(
        self,
        plan: Plan,
        probe_sets: Iterable[ProbeSet],
        programs: Programs,
        hosts: Hosts,
        machine: Machine | None,
    ) -> None:
        self._plan, self._hosts, self._machine = plan, hosts, machine
        self._programs = programs
        self._probe_sets = {each.installation.name: each for each in probe_sets}
        self._jobs = jobs_of(plan)

    def __call__(self, points: Sequence[Point]) -> PreparedLaunch:
        """Return the launch of these points. Raises `Unsupported` where it cannot be had."""
        plan, machine, first = self._plan, self._machine, points[0]
        probe_set = self._probe_sets[first.mpi]
        placement = self._jobs[first.placement]
        neighbours = str(neighbours_of(plan, placement, points))
        split = ("--victims", str(plan.victims), "--neighbours", neighbours)
        job = Job(
            program=(
                *self._programs[first.mpi, first.api],
                *("--plan", f"{_FOLDER}/{PLAN_FILE}", "--out", _FOLDER),
                *(split if plan.victims else ()),
            ),
            placement=placement,
            api=first.api,
            hosts=self._hosts,
            bind=plan.bind,
            oversubscribe=plan.oversubscribe,
            launcher=plan.launcher,
            elsewhere=bool(plan.batch) or finds_nodes(plan.launcher),
            folder=_FOLDER,
            environment=machine.environment if machine else {},
            simulation=machine.simulations[placement] if machine else None,
        )
        job = with_knobs(job, probe_set.installation, first.knobs)
        return PreparedLaunch(
            mpi=first.mpi,
            knobs=first.knobs,
            points=tuple(points),
            job=job,
            start=start_for(job, probe_set.installation),
            oversubscribed=exceeds_cores(job, available_cores()),
        )


def _make_supported(make: _Maker, points: Iterable[Point], say: Say) -> list[PreparedLaunch]:
    """Return the launches without those whose knobs some of the installations do not have.

    Raises `UserError` where nothing is left but what the libraries do by themselves.
    """
    lacking: dict[str, None] = {}
    launches = []
    for members in by_launch_key(points).values():
        try:
            launches.append(make(members))
        except Unsupported as error:
            lacking[str(error)] = None
    if lacking and all(value == DEFAULT for each in launches for value in each.knobs.values()):
        raise UserError("; ".join(lacking))
    for line in lacking:
        say(f"left out: {line}")
    return launches


def _drop_repeats(launches: Iterable[PreparedLaunch], say: Say) -> list[PreparedLaunch]:
    """Return the launches without those whose knobs come to the same job as others before them.

    So do all orders of ranks on one node.
    """
    kept: list[tuple[PreparedLaunch, list[str]]] = []
    for launch in launches:
        knobs = " ".join(f"{name}={value}" for name, value in launch.knobs.items())
        same = (own for each, own in kept if (each.mpi, each.job) == (launch.mpi, launch.job))
        if (first := next(same, None)) is None:
            kept.append((launch, [knobs]))
        else:
            first.append(knobs)
    for launch, (first_knobs, *others) in kept:
        if others:
            say(
                f"on {launch.job.placement} with {launch.mpi} {', '.join(others)} would be the "
                f"same as {first_knobs}: measured once"
            )
    return [launch for launch, _ in kept]


def _check_launches(plan: Plan, hosts: Hosts, launches: Sequence[PreparedLaunch]) -> None:
    """Hold jobs to the machine, and to consecutive ranks where they are split by nodes.

    A resource manager's launcher, which no installation brings, must be here, or where jobs run.
    """
    for launch in launches:
        if plan.victims and launch.job.ranks_by_node:
            raise UserError(
                f"victims {plan.victims}: an order of ranks does not go with them: leave out "
                "--order"
            )
        check_slots(launch.job, available_cores())
    program = launches[0].start.argv[len(hosts.prefix)]
    if finds_nodes(plan.launcher) and not plan.batch and shutil.which(program) is None:
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
        (each.mpi, each.job.environment["LEADLINE_PROFILE"])
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


def _memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
