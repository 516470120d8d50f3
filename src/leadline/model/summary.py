"""Figures: what statistics make of the samples of a run."""

from typing import Literal, NewType

import msgspec

from leadline.model.noise import Noise, Shape
from leadline.model.plan import Value
from leadline.model.published import Held, ReplayedProgram

# What to do, in the words of `leadline.analysis.findings.advice`: a rule has no other.
Advice = NewType("Advice", str)


class LowerBound(msgspec.Struct, frozen=True, kw_only=True):
    """The least time in seconds that a roof leaves, and the index of the roof's figure.

    The roof is the one, of those measured in the same run, that leaves the most.
    """

    seconds: float
    figure: int


class LaunchReadings(msgspec.Struct, frozen=True, kw_only=True):
    """What the yardsticks of a launch read just before and just after a point.

    Only round trips between the same `cores` of the same hosts are comparable. Without readings
    both are empty.
    """

    cores: str = ""
    round_trips_s: tuple[float, ...] = ()


class StateFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure in the launches that met one state of the machine, by number in `launches`.

    `state` 0 is the one whose cores are closest together, 1 the next; None is of launches in which
    it changed or is not known. `times` is how many times as long a cache line takes between two
    cores as in state 0.
    """

    state: int | None
    times: float | None
    launches: tuple[int, ...]
    median_s: float


class PointSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One series of one point over all its launches. Times in seconds, rates in 10^6 bytes/s.

    `median_s` is the median of the launches' medians: a launch is one sample of the machine.
    `samples` counts repetitions used, `excluded` those set aside (late start, wrong data) and
    `flags` the repetitions, of both kinds, in which any rank carries each flag.
    There is no interval where launches or samples are too few: `ci95_method` says so. Quantiles
    without an interval (`shape`) are None. `within_launch_precision` is half the width of a
    launch's own interval over its median, None where it has none.
    `failed_trials` are the properties that the answer lacks in some launch; `bound` is there where
    a roof of the benchmark was measured. `misplaced` figures are of launches whose ranks ran
    elsewhere than the order asked for.
    `starts` names how repetitions really started. This is the shape of one of the `points` that
    `--json` prints.

    A figure that another program printed has no samples: `samples` is 0, what that program did not
    print is None, and `statistic` says what `median_s` and `launch_medians_s` really are. `shape`
    is what the samples show beside their median, None where there are none.

    `readings` are of the machine, one for each of `launch_medians_s`; empty where none has any.
    Where launches met several states of the machine, `states` has the figure in each; `median_s`
    and its interval are of the first of them then, and all else of every launch.

    `point` is the `index` of the run's point and `series_index` that of the series in the
    benchmark's description: the samples carry both. None and -1 for what another program printed.
    """

    benchmark: str
    series: str
    axes: dict[str, Value]
    settings: dict[str, Value]
    bytes: int | None
    processes: int
    nodes: int
    processes_per_node: int
    mpi: str
    launches: int
    samples: int
    excluded: int
    median_s: float
    ci95_low_s: float | None
    ci95_high_s: float | None
    ci95_method: str
    p90_s: float | None
    p99_s: float | None
    max_s: float | None
    min_s: float | None
    mean_s: float | None
    bandwidth_MBps: float | None  # noqa: N815 - the unit's own capitals
    verified: bool
    stopped_by: str
    oversubscribed: bool
    launch_medians_s: tuple[float, ...]
    within_launch_precision: float | None
    starts: tuple[str, ...] = ()
    flags: dict[str, int] = {}
    metrics: dict[str, float] = {}
    message_rate_per_s: float | None = None
    flops_per_s: float | None = None
    failed_trials: tuple[str, ...] = ()
    bound: LowerBound | None = None
    knobs: dict[str, str] = {}
    misplaced: bool = False
    statistic: Literal["median", "mean", "minimum", "maximum", "single"] = "median"
    shape: Shape | None = None
    simulated: bool = False
    point: int | None = None
    series_index: int = -1
    readings: tuple[LaunchReadings, ...] = ()
    states: tuple[StateFigure, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the 95 % interval in seconds, where there is one."""
        if self.ci95_low_s is None or self.ci95_high_s is None:
            return None
        return self.ci95_low_s, self.ci95_high_s

    @property
    def conditions(self) -> dict[str, Value]:
        """Under what the benchmark ran: all that was chosen beside its own axes."""
        return {**self.settings, **self.knobs}


class MissingFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A planned point without a figure, and the reason as a sentence without its full stop.

    `point` is the `index` of the run's point. `set_aside` repetitions were timed and are in no
    figure; `flags` counts those in which any rank carries each flag. `failed_trials` are the
    properties that the answer lacked in some launch, `left_out` says that the benchmark cannot be
    measured there.
    """

    point: int
    benchmark: str
    axes: dict[str, Value]
    settings: dict[str, Value]
    bytes: int | None
    processes: int
    nodes: int
    processes_per_node: int
    mpi: str
    reason: str
    left_out: bool = False
    oversubscribed: bool = False
    set_aside: int = 0
    flags: dict[str, int] = {}
    failed_trials: tuple[str, ...] = ()
    knobs: dict[str, str] = {}

    @property
    def conditions(self) -> dict[str, Value]:
        """Under what the benchmark was to run: all that was chosen beside its own axes."""
        return {**self.settings, **self.knobs}


class Regime(msgspec.Struct, frozen=True, kw_only=True):
    """A straight piece of a curve: a message of n bytes takes `latency_s` + n * `seconds_per_byte`.

    The intervals are over launches, None where these are not repeated. The residuals are parts of
    the measured times.
    """

    from_bytes: int
    to_bytes: int
    latency_s: float
    latency_low_s: float | None
    latency_high_s: float | None
    seconds_per_byte: float
    seconds_per_byte_low: float | None
    seconds_per_byte_high: float | None
    mean_residual: float
    largest_residual: float


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """What one curve over message sizes says. Indices refer to the run's point summaries.

    Latency is the median of the smallest size; `asymptotic_MBps` and `half_size_bytes` are
    Hockney's r_inf and n_1/2; `switches_bytes` are the sizes from which another protocol is used,
    `regimes` the straight pieces of the curve.
    """

    points: tuple[int, ...]
    benchmark: str
    series: str
    variant: str
    mpi: str
    processes: int
    nodes: int
    latency_s: float
    asymptotic_MBps: float | None  # noqa: N815
    half_size_bytes: float | None
    best_size_bytes: int | None
    best_MBps: float | None  # noqa: N815
    switches_bytes: tuple[int, ...] = ()
    regimes: tuple[Regime, ...] = ()


Topic = Literal["speed", "hardware", "steadiness", "choice", "trust"]


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """How many times faster something becomes by following an advice, with its 95 % interval.

    No ends where there is no interval.
    """

    times: float
    low: float | None = None
    high: float | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule's verdict: what it means, the numbers that prove it, and what to do.

    `text` has the answer and its numbers, `advice` an imperative sentence, and `command` the one
    command line that does what the advice says, complete, to be copied. `gain` is what following it
    is expected to gain. `evidence` maps names with their unit as suffix to numbers. `points` are
    indices of the summaries that prove it. `severity` is `problem`, `notice` or `fact`, `effect`
    the factor that it is about, by which findings are ordered. `kind` is the name of the
    rule and `topic` the question that the rule belongs to: how fast, is it what the hardware can
    do, how steady, which choice is better, can the figures be trusted. A rule leaves both out.
    """

    kind: str = ""
    topic: Topic = "speed"
    severity: str
    text: str
    evidence: dict[str, float]
    effect: float | None = None
    advice: Advice | None = None
    command: str | None = None
    gain: Gain | None = None
    points: tuple[int, ...] = ()


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """One of the doctor's checks. `status` is `ok`, `warn`, `bad` or `unknown`.

    `command` is the command line that does what the `advice` says, where one does.
    """

    name: str
    status: str
    observed: str
    meaning: str
    advice: str | None = None
    command: str | None = None
    numbers: dict[str, float] = {}


class RankJitter(msgspec.Struct, frozen=True, kw_only=True):
    """One rank's part in the excess time of a point, as fractions of all of it.

    `suffered_fraction` is in its own calls; `caused_fraction` is what began on it, wherever it was
    suffered, and `causes` are the parts of that by cause.
    """

    rank: int
    suffered_fraction: float
    caused_fraction: float
    causes: dict[str, float] = {}


class PassedDelay(msgspec.Struct, frozen=True, kw_only=True):
    """What `rank` lost by waiting, through others or not, for `from_rank`, which `cause` held up.

    `fraction` is of the excess time of the point.
    """

    rank: int
    from_rank: int
    cause: str
    fraction: float


class PredictedMaximum(msgspec.Struct, frozen=True, kw_only=True):
    """The longest of so many tasks' times of a call, averaged over calls, with its interval."""

    tasks: int
    maximum_s: float
    ci95_low_s: float
    ci95_high_s: float


class Jitter(msgspec.Struct, frozen=True, kw_only=True):
    """How the calls of a figure scatter over its tasks, why, and what more tasks would make of it.

    Per call the maximum and the average over tasks, then both averaged over calls (J. Hague,
    "Switch Jitter", 2008). `point` is the index of the figure. The excess time is that of outliers
    above their rank's typical time; `causes` are fractions of it.
    """

    point: int
    tasks: int
    calls: int
    average_s: float
    maximum_s: float
    maximum_over_average: float
    ci95_low: float
    ci95_high: float
    single_s: float
    all_tasks_s: float | None
    average_GBps: float | None  # noqa: N815
    maximum_GBps: float | None  # noqa: N815
    outliers: int
    excess_fraction: float
    causes: dict[str, float]
    passed_on_fraction: float
    longest_chain: int
    ranks: tuple[RankJitter, ...]
    passed: tuple[PassedDelay, ...]
    independent_maximum_s: float
    independent: bool
    predictions: tuple[PredictedMaximum, ...] = ()


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What a neighbour costs a figure: how many times as long the victim takes as alone.

    `alone` and `disturbed` are indices of figures, `spacer` the idle nodes between them. The ratios
    are of medians and of 99th percentiles, with their intervals where there are any;
    `neighbour_MBps` is what the neighbour itself moved meanwhile.
    """

    alone: int
    disturbed: int
    neighbour: str
    spacer: int
    median_ratio: float
    median_low: float | None
    median_high: float | None
    p99_ratio: float | None
    p99_low: float | None
    p99_high: float | None
    neighbour_MBps: float | None  # noqa: N815


class PairShare(msgspec.Struct, frozen=True, kw_only=True):
    """What one pair of ranks gets of all that pairs move which talk at once, 0 to 1.

    `rank` stops the clock; `seconds` is its median over launches of an operation. The interval is
    over launches, None where these are too few.
    """

    rank: int
    peer: int
    seconds: float
    MBps: float | None
    share: float
    share_low: float | None
    share_high: float | None


class PairShares(msgspec.Struct, frozen=True, kw_only=True):
    """How pairs that talk at once share what they move together; `point` is the figure's index.

    Each would get `fair_share` if all were alike.
    """

    point: int
    fair_share: float
    total_MBps: float | None  # noqa: N815
    pairs: tuple[PairShare, ...]


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the report and the terminal show of a run.

    Each planned point has its figures in `points` or stands in `missing`.
    """

    points: tuple[PointSummary, ...]
    sweeps: tuple[Sweep, ...]
    missing: tuple[MissingFigure, ...] = ()
    findings: tuple[Finding, ...] = ()
    jitter: tuple[Jitter, ...] = ()
    noise: tuple[Noise, ...] = ()
    published: tuple[Held, ...] = ()
    replayed: tuple[ReplayedProgram, ...] = ()
    impacts: tuple[Impact, ...] = ()
    pairs: tuple[PairShares, ...] = ()
