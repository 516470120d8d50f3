"""What a probe says of itself: the typed reading of `--describe`."""

from collections.abc import Mapping
from typing import Literal

import msgspec


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a benchmark; each of its values is a point to measure.

    `kind` is `bytes` (whole number of bytes, suffixes K, M, G allowed), `integer`, `number`,
    `choice`, or `word`, of which the front end knows the values: its `choices` are those here, none
    where any may be tried. `default` is written as a user
    would write it on the command line; `quick` likewise, the values for a look at everything in
    little time. The choices are `ways` to do the same, which are compared, or different tasks.
    """

    name: str
    kind: Literal["bytes", "integer", "number", "choice", "word"]
    summary: str
    default: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    multiple_of: int = 1
    quick: str = ""
    ways: bool = True


class Processes(msgspec.Struct, frozen=True, kw_only=True):
    """How many processes a benchmark can use: `maximum` 0 means any number."""

    minimum: int = 1
    maximum: int = 0
    multiple_of: int = 1

    def allow(self, processes: int) -> bool:
        """Tell whether all of so many processes can be used."""
        return (
            self.minimum <= processes
            and processes % self.multiple_of == 0
            and (not self.maximum or processes <= self.maximum)
        )


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a benchmark reports, with what it means and who stops the clock.

    With the values of the axes in `ends_by` it ends at another moment, such as before or after the
    data are there: by it they are not compared.
    """

    name: str
    definition: str
    ends_by: tuple[str, ...] = ()


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark in a guideline. `size` is its message size against that of the other side.

    `bytes` is its message size where the other side has none.
    """

    benchmark: str
    size: Literal["same", "times processes", "over processes"] = "same"
    bytes: int | None = None


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """Says that a series is the time of one message until the target knows that it may use it.

    `where` names the values of axes at which that is so; other axes may have any.
    """

    sides: Literal["one-sided", "two-sided"]
    series: str
    where: dict[str, tuple[str, ...]] = {}


class Roof(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark whose rate, of moved bytes or floating-point operations, bounds another's.

    It is measured with its default values but for `values`. Where its rate depends on a size, its
    axis `size_axis` is `times` as large as the axis `of_axis` of the benchmark that it bounds.
    """

    benchmark: str
    values: dict[str, str] = {}
    size_axis: str = ""
    of_axis: str = ""
    times: float = 1.0


class KnownFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a benchmark that people know by a name, such as the latency of a small message.

    Of its times that of a small size, of its rates that of a large one.
    """

    of: Literal["time", "rate"]
    title: str


class Yardstick(msgspec.Struct, frozen=True, kw_only=True):
    """What the hardware does with as many bytes: the rate of a benchmark.

    The benchmark was measured on as many processes, with caches in the same state, and with
    `values` of its axes and settings.
    """

    benchmark: str
    title: str
    values: dict[str, str] = {}


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A property that an answer must have, beside being right on usual data."""

    name: str
    definition: str


# A series of this name times work without any communication.
WORK = "work"


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark as the probe declares it. The front end knows nothing else of it.

    `title` is what people call it: the function of the standard, or the field's noun (empty: in
    runs of before 0.2).
    `start` is how its repetitions start by default, `starts` the starts that can be asked for
    (empty: all of them). Each of the `guidelines` names benchmarks that together do the same, so
    that a sensible library's is not slower than their sum. `delivery` is there where puts and
    messages can be compared. No figure beats its `roofs`, and one that fails any of the `trials`
    counts for nothing. `kernels` names the folder in kernels/ whose variants are measured.
    Of one without `headlines` these are the times of its smallest and its largest size;
    `yardsticks` are set against them inside a node, where the run has measured them.
    Without `messages` its sizes are not those of messages, but of what one process works on or
    moves to and from a file. `sizes` says what a program that does the same work may do with them:
    `join` the data of several calls in one, `split` those of one call, `pad` them with more than it
    needs.
    """

    name: str
    title: str = ""
    summary: str
    axes: tuple[Axis, ...]
    processes: Processes
    series: tuple[Series, ...]
    api: str = msgspec.field(name="transport")
    start: str
    starts: tuple[str, ...] = ()
    guidelines: tuple[tuple[Term, ...], ...] = ()
    delivery: Delivery | None = None
    roofs: tuple[Roof, ...] = ()
    headlines: tuple[KnownFigure, ...] = ()
    yardsticks: tuple[Yardstick, ...] = ()
    trials: tuple[Trial, ...] = ()
    kernels: str = ""
    messages: bool = True
    sizes: tuple[Literal["join", "split", "pad"], ...] = ()

    @property
    def only_works(self) -> bool:
        """Whether ranks compute and nothing else: what delays them is the machine."""
        return [each.name for each in self.series] == [WORK]

    def ways(self, series: str) -> tuple[Axis, ...]:
        """Return the axes whose values are ways to do the same, as far as the series tells."""
        apart = {name for each in self.series if each.name == series for name in each.ends_by}
        return tuple(
            axis
            for axis in self.axes
            if axis.kind == "choice" and axis.ways and axis.name not in apart
        )

    def task(self, values: Mapping[str, object]) -> tuple[str, ...]:
        """Return which of its tasks these values of axes choose: only one and the same compares."""
        return tuple(
            f"{axis.name}={values.get(axis.name, axis.default)}"
            for axis in self.axes
            if axis.kind == "choice" and not axis.ways
        )


class Field(msgspec.Struct, frozen=True, array_like=True):
    """One column of the binary sample record: its name and its numpy type string."""

    name: str
    dtype: str


class Congestor(msgspec.Struct, frozen=True, kw_only=True):
    """Traffic that can disturb what is measured, and the processes that it needs at least."""

    name: str
    summary: str
    minimum: int = 1


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of `--describe`: the format of the stream and the benchmarks.

    `settings` are the harness's own parameters, which every benchmark has beside its axes, and
    `neighbour_settings` those that it has too where other nodes of the job may disturb it, with one
    of the `congestors`; none where the API has no congestors.
    """

    format: int
    api: str = msgspec.field(name="transport")
    benchmarks: tuple[Benchmark, ...]
    settings: tuple[Axis, ...]
    neighbour_settings: tuple[Axis, ...] = ()
    congestors: tuple[Congestor, ...] = ()
    sample: tuple[Field, ...]
    flags: tuple[str, ...]


AXES = VARIANT, COMPILER, FLAGS = "variant", "compiler", "flags"
# The compiler of a library that is there already, and its flags.
READY, NO_FLAGS = "ready", "none"


Value = int | float | str
