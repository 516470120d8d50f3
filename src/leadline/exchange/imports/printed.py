"""Figures of other programs in leadline's shape, and the operations that both time alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from leadline.exchange.imports.reader import Origin, Reader, Reading, Source
from leadline.exchange.imports.text import Line, Notes, whole_lines
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

# What a ping-pong or collective of leadline's runs under where nothing else is asked for.
USUAL = {"start": "default", "cache": "warm"}

COMPLETION = "completion"

# Axes whose values are different tasks: who talks to whom, what is done, and to how much of it.
_TASKS = frozenset({"imbalance", "operation", "order"})
# Words in the names of operations of all processes: what they need at one moment cannot be had with
# what they need at the next.
_COLLECTIVE = ("reduce", "gather", "scatter", "bcast", "broadcast", "alltoall", "scan")
AVERAGE = "average over ranks"
COMMUNICATION, COMPUTATION, TOGETHER = "communication", "computation", "together"

Statistic = Literal["median", "mean", "minimum", "maximum", "single"]


class Place(NamedTuple):
    """Ranks and nodes; `processes` is 0 where a file does not say how many there were."""

    processes: int
    nodes: int = 1


class Subject(NamedTuple):
    """What a figure is of: benchmark, series and axes but the size.

    `moved` are the bytes that its bandwidth counts for each byte of the size.
    """

    benchmark: str
    series: str
    axes: Mapping[str, Value] = {}
    moved: float | None = None

    def of(self, series: str) -> Subject:
        """Return the same with another series."""
        return self._replace(series=series)


def figure(
    subject: Subject,
    seconds: float,
    *,
    place: Place,
    mpi: str,
    size: int | None = None,
    statistic: Statistic = "mean",
    settings: Mapping[str, Value] = USUAL,
    verified: bool = True,
    interval: tuple[float, float] | None = None,
    method: str = "",
    repetitions: Sequence[float | None] = (None, None, None, None),
    mean: float | None = None,
    rate: float | None = None,
    metrics: Mapping[str, float] | None = None,
) -> PointSummary:
    """Return a figure of `seconds` for one operation on messages of `size` bytes.

    `repetitions` are their 90 % and 99 % quantile, maximum and minimum in seconds, as far as the
    program printed them. `rate` is in messages a second, of all pairs together. The bandwidth is
    worked out from it or from the time, in 10^6 bytes/s, since programs differ in what they call a
    megabyte.
    """
    p90, p99, longest, shortest = repetitions
    moved = None if size is None or subject.moved is None else subject.moved * size
    if size and rate:
        moved = size * rate * seconds
    return PointSummary(
        benchmark=subject.benchmark,
        series=subject.series,
        axes={**({} if size is None else {"bytes": size}), **subject.axes},
        settings=dict(settings),
        bytes=size,
        processes=place.processes,
        nodes=place.nodes,
        processes_per_node=place.processes // place.nodes,
        mpi=mpi,
        launches=1,
        samples=0,
        excluded=0,
        median_s=seconds,
        ci95_low_s=interval[0] if interval else None,
        ci95_high_s=interval[1] if interval else None,
        ci95_method=method,
        p90_s=p90,
        p99_s=p99,
        max_s=longest,
        min_s=shortest,
        mean_s=seconds if statistic == "mean" else mean,
        bandwidth_MBps=moved / seconds / 1e6 if moved and seconds > 0 else None,
        verified=verified,
        stopped_by="",
        oversubscribed=False,
        launch_medians_s=(seconds,),
        within_launch_precision=None,
        metrics=dict(metrics or {}),
        message_rate_per_s=rate,
        statistic=statistic,
    )


def reader(
    name: str,
    title: str,
    recognises: Callable[[str], object],
    figures: Callable[[Sequence[Line], Notes], Iterable[PointSummary]],
    definitions: Mapping[str, str] | str,
    *,
    program: str,
    summary: str = "",
) -> Reader:
    """Return the reader of a program that prints tables of figures.

    `recognises(text)` tells whether a file is in the format, `figures(lines, notes)` yields what
    its lines hold. `definitions` say what a figure is by its series or benchmark, or of all;
    `summary` is what a benchmark measures where the notes do not say it.
    """

    def read(source: Source) -> Reading:
        notes = Notes(source, program)
        found = figures(whole_lines(source, notes), notes)
        return reading_of(found, notes, definitions, summary)

    return Reader(
        name=name, title=title, recognises=lambda source: bool(recognises(source.text)), read=read
    )


def reading_of(
    figures: Iterable[PointSummary],
    notes: Notes,
    definitions: Mapping[str, str] | str,
    summary: str = "",
) -> Reading:
    """Return what a file holds, by its figures and by the notes that were taken with them.

    Raises `UserError` where there are no figures.
    """

    def definition(one: PointSummary) -> str:
        if isinstance(definitions, str):
            return definitions
        return definitions.get(one.series) or definitions[one.benchmark]

    program = notes.program
    found: list[PointSummary] = []
    origins: list[Origin] = []
    for one in figures:
        found.append(one)
        origins.append(notes.origin)
    if not found:
        raise notes.nothing(program)
    benchmarks = (
        _describe_benchmark(
            notes.summaries.get(benchmark, summary),
            [one for one in found if one.benchmark == benchmark],
            definition,
        )
        for benchmark in dict.fromkeys(one.benchmark for one in found)
    )
    return Reading(
        program=notes.program.strip(),
        file=notes.file,
        placed=notes.placed,
        figures=tuple(found),
        origins=tuple(origins),
        benchmarks=tuple(benchmarks),
        remarks=notes.all(),
        when=notes.when,
    )


def _describe_benchmark(
    summary: str, figures: Sequence[PointSummary], definition: Callable[[PointSummary], str]
) -> Benchmark:
    name = figures[0].benchmark
    return Benchmark(
        name=name,
        summary=summary,
        axes=tuple(
            _axis(axis, figures)
            for axis in dict.fromkeys(axis for one in figures for axis in one.axes)
        ),
        processes=Processes(minimum=1),
        series=tuple(
            Series(name=series, definition=meaning)
            for series, meaning in {one.series: definition(one) for one in figures}.items()
        ),
        api="imported",
        start="default",
        sizes=sizes_of(name),
    )


def _axis(name: str, figures: Sequence[PointSummary]) -> Axis:
    values = list(dict.fromkeys(one.axes[name] for one in figures if name in one.axes))
    if name == "bytes":
        sizes = ",".join(map(str, values))
        return Axis(name=name, kind="bytes", summary="size of a message", default=sizes)
    if all(isinstance(value, int) for value in values):
        return Axis(name=name, kind="integer", summary="", default=str(values[0]))
    texts = tuple(map(str, values))
    return Axis(
        name=name,
        kind="choice",
        summary="",
        default=texts[0],
        choices=texts,
        ways=name not in _TASKS,
    )


def sizes_of(benchmark: str) -> tuple[Literal["join", "split", "pad"], ...]:
    """Return what may be done with the sizes of a benchmark, by its name.

    >>> sizes_of("nccl/all_reduce"), sizes_of("mpi/pingpong")
    (('split', 'pad'), ('join', 'split', 'pad'))
    """
    operation = benchmark.rpartition("/")[2].lower()
    if any(word in operation for word in _COLLECTIVE):
        return ("split", "pad")
    return ("join", "split", "pad")


_LIBRARY: dict[str, Value] = {"algorithm": "library"}
_SEPARATE: dict[str, Value] = {"buffers": "separate"}
_ROOT: dict[str, Value] = {"root": 0}

# Axes as leadline has them, and whether the bandwidth counts the blocks of all ranks.
_COLLECTIVES: dict[str, tuple[dict[str, Value], bool]] = {
    "allgather": ({**_LIBRARY, **_SEPARATE}, True),
    "allreduce": ({**_LIBRARY, **_SEPARATE}, False),
    "alltoall": ({**_LIBRARY, **_SEPARATE}, True),
    "alltoallv": ({"imbalance": "even", **_LIBRARY, **_SEPARATE}, True),
    "barrier": (_LIBRARY, False),
    "bcast": ({**_LIBRARY, **_ROOT}, False),
    "exscan": ({**_LIBRARY, **_SEPARATE}, False),
    "gather": ({**_LIBRARY, **_SEPARATE, **_ROOT}, True),
    "reduce": ({**_LIBRARY, **_SEPARATE, **_ROOT}, False),
    "reduce_local": ({}, False),
    "reduce_scatter": ({**_LIBRARY, **_SEPARATE}, True),
    "reduce_scatter_block": ({**_LIBRARY, **_SEPARATE}, True),
    "scan": ({**_LIBRARY, **_SEPARATE}, False),
    "scatter": ({**_LIBRARY, **_SEPARATE, **_ROOT}, True),
}

_NONBLOCKING: dict[str, dict[str, Value]] = {
    "iallgather": {},
    "iallreduce": {},
    "ialltoall": {},
    "ibarrier": {},
    "ibcast": _ROOT,
    "ireduce": _ROOT,
}

PINGPONG = Subject("mpi/pingpong", "one-way", {"mode": "blocking"}, 1)
EXCHANGE = Subject("mpi/exchange", COMPLETION, {}, 4)


def collective(name: str, processes: int) -> Subject | None:
    """Return MPI's collective `name`, such as `allgather`, on so many ranks, or None.

    `bytes` are what leadline has for it: the block of one rank, or the whole vector.
    """
    if name in _COLLECTIVES:
        axes, all_blocks = _COLLECTIVES[name]
        moved = (processes or None) if all_blocks else 1
        return Subject(f"mpi/{name}", COMPLETION, axes, moved)
    if name in _NONBLOCKING:
        return Subject(f"mpi/{name}", COMPLETION, {"progress": "none", **_NONBLOCKING[name]})
    return None


def one_sided(name: str, synchronisation: str, created: str) -> dict[str, Value]:
    """Return the axes of the one-sided operation `name` as leadline has them."""
    axes: dict[str, Value] = {"synchronisation": synchronisation, "window": created}
    return {"operation": "sum", **axes} if name == "accumulate" else axes
