"""A run as its folder holds it: `run.json` beside `samples.parquet`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec

from leadline.model.description import Benchmark
from leadline.model.imported import Import
from leadline.model.installation import Installation
from leadline.model.interference import Congestion, Interference
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Point, Value
from leadline.model.platform import Platform
from leadline.model.recorded import Recorded
from leadline.model.software import Variable

RUN_FORMAT = 1


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a run or a launch ended, in one word and one line.

    `running` in a folder that nobody writes to any more means that leadline itself was killed.
    """

    state: Literal["running", "complete", "incomplete", "interrupted", "failed", "timed out"]
    message: str = ""

    @property
    def told(self) -> str:
        """The line by itself: messages of an interrupt say by what."""
        return f"interrupted {self.message}" if self.state == "interrupted" else self.message


class PointResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe reports of one finished point in one launch, beside its samples.

    A sample covers `batch` calls of `operations_per_call` operations. `messages` are those that one
    operation sends over all ranks, `flops` its floating-point operations. `neighbours` are, for
    each rank, the ranks that it waits for; empty where the benchmark does not say. `verified` is
    false where a byte was wrong or any of the benchmark's trials failed.
    """

    point: int
    bytes: int | None = None
    moved_bytes: float | None = None
    messages: float = 0.0
    flops: float = 0.0
    repetitions: int = 0
    batch: int = 1
    operations_per_call: int = 1
    verified: bool = False
    wrong_bytes: int = 0
    failed_trials: tuple[str, ...] = ()
    stopped_by: str = ""
    start: str = ""
    metrics: dict[str, float] = {}
    flags: dict[str, int] = {}
    neighbours: tuple[tuple[int, ...], ...] = ()
    clock_error_s: float = 0.0
    wall_s: float = 0.0

    @property
    def operations(self) -> int:
        """How many operations share one sample's clock readings."""
        return max(self.batch, 1) * max(self.operations_per_call, 1)


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """A point that a probe found it cannot measure here, and why."""

    point: int
    reason: str


class RankPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where one rank really ran."""

    rank: int
    host: str
    node: int
    cpus: str
    cpu: int
    pid: int


class RankFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What one rank says of its node, where that was asked for.

    `files` has for each pattern of paths the texts of the files, and for each text what the
    pattern's `*` is in those files, joined by blanks. `wall_s` is the time of day in seconds since
    1970 when the launch's common clock, the same for all ranks, showed zero.
    """

    rank: int
    wall_s: float
    files: dict[str, dict[str, str]]


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The clock of a launch: its resolution, its cost, and what the harness adds to a figure.

    `sync_error_s` bounds the error between the ranks' clocks. `sync_tested_error_s` is by
    how much synchronising by messages erred, where the truth is known: on one kernel.
    """

    source: str
    resolution_s: float
    overhead_s: float
    harness_in_figure_s: float
    harness_per_sample_s: float
    sync_error_s: float
    shared: bool
    sync_tested_error_s: float | None = None


class MachineReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the fixed yardsticks of a launch read, between two of its points.

    `points` is how many of the launch's points had been measured before, `at_s` when it was, as
    samples count it. Typical over ranks: the round trip of a cache line between neighbouring ranks
    of a node, the rate at which each copies a fixed block, and the time of a fixed chain of integer
    operations. None is what could not be read. `cost_s` is what the reading took.
    """

    points: int
    at_s: float = 0.0
    round_trip_s: float | None = None
    copy_MBps: float | None = None  # noqa: N815 - the unit's own capitals
    work_s: float | None = None
    cost_s: float = 0.0


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One start of a probe by a launcher, and what came of it.

    `asked_controls` are the MPI_T control variables that the knobs set, `controls` what the
    library then said of them. `asked_ranks_by_node` is the order of ranks that was asked for, empty
    for consecutive ranks on one node after the other, and `asked_hosts` are the nodes, where they
    were named. `company` is who else was there, None where nobody looked,
    and `beside` what a second job did that the knobs asked for. `readings` are of the machine, in
    the order of time; none where ranks share cores or time is computed. `facts` are of the nodes,
    where a screening asked for them.
    """

    launch: int
    mpi: str
    api: str = msgspec.field(name="transport")
    launcher: str = ""
    argv: tuple[str, ...]
    environment: dict[str, str]
    processes: int
    nodes: int
    processes_per_node: int
    oversubscribed: bool
    started: str
    ended: str
    outcome: Outcome
    library: str = ""
    standard: str = ""
    clock: Clock | None = None
    ranks: tuple[RankPlace, ...] = ()
    points: tuple[PointResult, ...] = ()
    skipped: tuple[Skip, ...] = ()
    readings: tuple[MachineReading, ...] = ()
    facts: tuple[RankFacts, ...] = ()
    knobs: dict[str, str] = {}
    asked_controls: dict[str, str] = {}
    controls: dict[str, str] = {}
    asked_ranks_by_node: tuple[tuple[int, ...], ...] = ()
    asked_hosts: tuple[str, ...] = ()
    company: Interference | None = None
    background: Congestion | None = msgspec.field(name="beside", default=None)

    @property
    def seconds(self) -> float:
        """How long it took; 0 where the times are not known."""
        try:
            began, ended = map(datetime.fromisoformat, (self.started, self.ended))
        except ValueError:
            return 0.0
        return (ended - began).total_seconds()

    @property
    def placement(self) -> Placement:
        """The placement of all ranks, whether they measure or disturb."""
        return Placement(self.nodes, self.processes_per_node)


LaunchKey = tuple[str, str, str, tuple[tuple[str, str], ...]]


def launch_key(of: Point | Launch) -> LaunchKey:
    """Return what all points of a launch share, and all launches of the same points.

    Points have the placement of the ranks that measure, launches that of all ranks.
    """
    return (of.mpi, of.api, str(of.placement), tuple(of.knobs.items()))


Launched = TypeVar("Launched", Point, Launch)


def by_launch_key(members: Iterable[Launched]) -> dict[LaunchKey, list[Launched]]:
    """Return what belongs together, by its key, in the order of the first of each."""
    groups: dict[LaunchKey, list[Launched]] = {}
    for each in members:
        groups.setdefault(launch_key(each), []).append(each)
    return groups


class BatchJob(msgspec.Struct, frozen=True, kw_only=True):
    """The job that carries out a run: the batch system's name, and its name for the job."""

    system: str
    job: str


class Run(msgspec.Struct, kw_only=True):
    """The whole of `run.json`.

    `machine` and the load are as `leadline.site.hardware` reports them: who wants to run before and
    after, and what others than leadline and its ranks did meanwhile; `doctor` holds the checks made
    before a survey, as `leadline check --json` prints them. Of a run in a `batch` job the machine
    is known by the names of its nodes only. With a `platform` all was simulated on that machine,
    whose digest is `platform_digest`, and `machine` is where the simulator ran. With `imported`
    nothing was launched: the figures are those that another program printed. With `explained` the
    run is a recording of the user's own program (`leadline explain`), with both the report of
    another profiler. `looks` are after how many launches of a point it was asked what differs,
    where what was open was measured on; `undecided` says what was open in the end, and why.
    `confirms` names the run of which this one measured again what looked slower.
    `variables` are those that the launches inherited and that configure an MPI or what is below it,
    None where nobody looked.
    """

    format: int = RUN_FORMAT
    run: str
    leadline: str
    plan: Plan
    started: str
    ended: str | None = None
    outcome: Outcome
    machine: dict[str, Any] = {}
    load_before: dict[str, float] = {}
    load_during: dict[str, float] = {}
    load_after: dict[str, float] = {}
    doctor: list[dict[str, Any]] = []
    batch: BatchJob | None = None
    installations: list[Installation] = []
    benchmarks: list[Benchmark] = []
    flags: list[str] = []
    points: list[Point] = []
    launches: list[Launch] = []
    imported: Import | None = None
    explained: Recorded | None = None
    platform: Platform | None = None
    platform_digest: str = ""
    looks: tuple[int, ...] = ()
    undecided: tuple[str, ...] = ()
    confirms: str = ""
    variables: list[Variable] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether another launch would give the same times: a simulation that no noise disturbs."""
        return self.platform is not None and not self.platform.noise.disturbs


def variant(axes: dict[str, Value], conditions: dict[str, Value]) -> str:
    """Return the text that names every choice but the size, such as `algorithm=ring`.

    >>> variant({"bytes": 8, "algorithm": "ring"}, {"cache": "warm"})
    'algorithm=ring,cache=warm'
    """
    named = {**axes, **conditions}
    return ",".join(f"{name}={named[name]}" for name in sorted(named) if name != "bytes")
