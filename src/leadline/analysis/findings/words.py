"""The wording of findings: names of results, sizes, ratios and commands."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from leadline.core.units import format_bytes, times
from leadline.model.description import Axis
from leadline.model.plan import Plan, Value
from leadline.model.plan_options import OPTIONS, PlanOption, knob_words
from leadline.model.profile import LIBRARY
from leadline.model.run import Run
from leadline.model.summary import Advice, Finding, Gain, MissingFigure, PointSummary

if TYPE_CHECKING:
    from leadline.analysis.findings.evidence import Evidence
    from leadline.analysis.stats.comparison import Ratio

_Size = TypeVar("_Size", int, float)

# The fields of a plan for which `leadline tune` has options too, beside place and MPI.
_TUNED = ("hosts", "remote_shell", "bind")

# A ratio above this whose interval spans more than this factor is given by its lower end alone.
_LARGE, _VAGUE = 20.0, 2.0


def name_of(evidence: Evidence, index: int, without: Collection[str] = ()) -> str:
    """Return words that tell this figure from all others of the run: `MPI_Reduce (ring), 8 B`.

    What is the same in the whole run, and choices that are the benchmark's own default, are left
    out. `without` names axes, `bytes`, `series`, `place` or `mpi`, that the words leave out too.
    """
    point = evidence.points[index]
    words = evidence.title(point.benchmark)
    series = [] if "series" in without else _series(evidence, point)
    if apart := [*series, *_apart(evidence, point, without)]:
        words += f" ({', '.join(apart)})"
    if "bytes" not in without and point.bytes is not None:
        words += f", {format_bytes(point.bytes)}"
    if "place" not in without and len({place_of(each) for each in evidence.points}) > 1:
        words += f" on {place_of(point)}"
    if "mpi" not in without and len({each.mpi for each in evidence.points}) > 1:
        words += f" with {point.mpi}"
    return words


def _series(evidence: Evidence, point: PointSummary) -> list[str]:
    several = {each.series for each in evidence.points if each.benchmark == point.benchmark}
    return [point.series.replace("_", " ")] if len(several) > 1 else []


def _apart(evidence: Evidence, point: PointSummary, without: Collection[str]) -> Iterator[str]:
    """Yield the choices of a figure that vary in the run, but for a benchmark's own default.

    An import does not know the default of its choices, so that all of them are named.
    """
    for name, value in _own_choices(evidence, point).items():
        axis = evidence.axis(point.benchmark, name)
        first = axis and str(value) == axis.default.partition(",")[0]
        named = evidence.run.imported and value != "none"
        if name in without or (first and not named):
            continue
        if axis and axis.kind == "choice":
            yield str(value).replace("_", " ")
        elif name in point.knobs:
            yield f"{name}={value}"
        else:
            yield f"{name.replace('_', ' ')} {value}"


def place_of(point: PointSummary | MissingFigure) -> str:
    """Return the placement as `--place` takes it."""
    return f"{point.nodes}x{point.processes_per_node}"


def command(evidence: Evidence, indices: Sequence[int], **options: object) -> str:
    """Return the command that measures these points (of one benchmark and MPI) again.

    Axes that vary in the run, the size and the placement are given with all their values, and
    what the run needed to start at all (hosts, a launcher, more processes than cores), then
    `options`, whose underscores become dashes. They replace an axis of the same name.
    """
    return command_for(evidence, [evidence.points[index] for index in indices], **options)


def command_for(
    evidence: Evidence, points: Sequence[PointSummary | MissingFigure], **options: object
) -> str:
    """Return the command that measures these points, with a figure or without, as `command`."""
    plan = evidence.run.plan
    if evidence.run.platform:
        options.pop("launches", None)  # Others would give the same times.
    values: dict[str, list[str]] = {"place": _places(evidence, points)}
    if plan.victims:
        values["victims"] = [str(plan.victims)]
    values["mpi"] = [point.mpi for point in points]
    for point in points:
        sizes = {"bytes": point.axes["bytes"]} if "bytes" in point.axes else {}
        for name, value in {**sizes, **_own_choices(evidence, point), **point.knobs}.items():
            values.setdefault(name, []).append(str(value))
    given: dict[str, object] = {
        name: values_text(list(dict.fromkeys(texts))) for name, texts in values.items()
    }
    knobs = {name: given.pop(name) for name in points[0].knobs}
    starting, others = _plan_words(plan, (each for each in OPTIONS if each.starts), options)
    given |= {name: options.pop(name) for name in [*given] if name in options}
    words = [*_words(given), *starting, *_words(options)]
    words += knob_words({name: str(value) for name, value in knobs.items()})
    words += others
    if any(point.oversubscribed for point in points):
        words.append("--oversubscribe")
    return f"{measuring(evidence.run, points[0].benchmark)} {' '.join(words)}"


def whole_run(evidence: Evidence, **options: object) -> str | None:
    """Return the command that repeats the whole run, with `options`, or None where none can.

    Several entries with axes of their own are no command line; nor is what another program wrote.
    """
    run, plan = evidence.run, evidence.run.plan
    if run.imported or not plan.entries or not plan.entries[0].benchmarks:
        return None
    first = plan.entries[0]
    if any(
        msgspec.structs.replace(one, benchmarks=first.benchmarks) != first for one in plan.entries
    ):
        return None
    benchmarks = [name for entry in plan.entries for name in entry.benchmarks]
    places = ",".join(map(str, first.placements or plan.placements))
    given: dict[str, object] = {**first.axes, **first.settings, "place": places}
    given |= {name: options.pop(name) for name in [*given] if name in options}
    repeated = (each for each in OPTIONS if each.repeats and each.field != "placements")
    values, others = _plan_words(plan, repeated, options)
    words = [*_words(given), *values, *_words(options)]
    words += [*(["--quick"] if first.values == "quick" else []), *others]
    return f"{measuring(run, *benchmarks)} {' '.join(words)}"


def _plan_words(
    plan: Plan, options: Iterable[PlanOption], without: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Return those of the options that the plan needs: with one value or a list, and the others."""
    values: list[str] = []
    others: list[str] = []
    for option in options:
        if option.parameter not in without:
            (values if option.takes in ("value", "list") else others).extend(option.words(plan))
    return values, others


def measuring(run: Run, *benchmarks: str) -> str:
    """Return the beginning of a command that measures these benchmarks where `run` did."""
    words = ["leadline", "simulate" if run.platform else "run", *benchmarks]
    if run.platform:
        words += ["--on", run.plan.platform]
        if run.plan.changes:
            words += ["--change", ",".join(run.plan.changes)]
    return shlex.join(words)


def _words(values: Mapping[str, object]) -> list[str]:
    return [f"--{n.replace('_', '-')} {shlex.quote(str(v))}" for n, v in values.items()]


def _places(evidence: Evidence, points: Sequence[PointSummary | MissingFigure]) -> list[str]:
    plan = evidence.run.plan
    jobs = [str(job) for job in plan.placements]
    return jobs if plan.victims else [place_of(point) for point in points]


def again(evidence: Evidence, indices: Sequence[int], **options: object) -> str | None:
    """Return the command that measures these points once more, as `command` does, for an advice.

    None of an import: nobody knows with what the other program was built.
    """
    return None if evidence.run.imported else command(evidence, indices, **options)


def more_launches(evidence: Evidence) -> int:
    """Return how many launches would make more sure what those of the run tell."""
    return max(10, 2 * evidence.run.plan.launches)


def gain_of(ratio: Ratio) -> Gain:
    """Return what a choice gains that is faster by this ratio."""
    low, high = ratio.interval or (None, None)
    return Gain(times=ratio.median, low=low, high=high)


def tuning(evidence: Evidence, index: int) -> str | None:
    """Return the command that makes programs use the fastest algorithm for this figure's call.

    None where there is only the library's own, for what a process does alone, such as to copy its
    memory, and of an import or a simulation.
    """
    point = evidence.points[index]
    alone = any(not b.messages for b in evidence.run.benchmarks if b.name == point.benchmark)
    if (
        alone
        or not library_axis(evidence, point.benchmark)
        or evidence.run.imported
        or evidence.run.platform
    ):
        return None
    words = ["leadline", "tune", point.benchmark, "--mpi", point.mpi, "--place", place_of(point)]
    known = (option for option in OPTIONS if option.field in _TUNED)
    values, others = _plan_words(evidence.run.plan, known)
    free = ["--oversubscribe"] * point.oversubscribed
    return " ".join([shlex.join(words), *values, *others, *free])


def library_axis(evidence: Evidence, benchmark: str) -> Axis | None:
    """Return the axis on which the library's own way stands among leadline's algorithms."""
    axes = (
        axis for each in evidence.run.benchmarks if each.name == benchmark for axis in each.axes
    )
    return next((axis for axis in axes if LIBRARY in axis.choices), None)


def values_text(texts: Sequence[str]) -> str:
    """Return values as an option takes them: doublings as a range, others with commas.

    >>> values_text(["64", "0", "8", "16", "32"])
    '0,8:64:x2'
    """
    if not all(text.isdigit() for text in texts):
        return ",".join(texts)
    numbers = sorted(int(text) for text in texts)
    tail = numbers[1:] if numbers[0] == 0 else numbers
    if len(tail) < 4 or any(b != 2 * a for a, b in itertools.pairwise(tail)):
        return ",".join(map(str, numbers))
    return "0," * (len(numbers) - len(tail)) + f"{tail[0]}:{tail[-1]}:x2"


def sizes_text(measured: Sequence[int], chosen: Sequence[int]) -> str:
    """Return `chosen` sizes in words, with stretches of neighbouring `measured` sizes joined.

    >>> sizes_text([1, 2, 4, 8, 16], [1, 2, 4, 16])
    '1 B to 4 B and 16 B'
    """
    texts = stretches(sorted(set(measured)), set(chosen), format_bytes)
    return and_text(texts)


def stretches(
    ordered: Sequence[_Size], chosen: Collection[_Size], text: Callable[[_Size], str]
) -> list[str]:
    """Return `chosen` sizes as texts, those that follow on each other in `ordered` joined.

    >>> stretches([1, 2, 4, 8], [1, 2, 8], str)
    ['1 to 2', '8']
    """
    groups = itertools.groupby(ordered, key=lambda size: size in chosen)
    found = [list(sizes) for wanted, sizes in groups if wanted]
    return [" to ".join(dict.fromkeys((text(one[0]), text(one[-1])))) for one in found]


def ratio_text(ratio: Ratio) -> str:
    """Return a ratio with its interval, such as `1.8x (1.6 to 2.0)`."""
    if ratio.interval is None:
        return times(ratio.median)
    low, high = (times(value).removesuffix("x") for value in ratio.interval)
    if {low, high} == {times(ratio.median).removesuffix("x")}:
        return times(ratio.median)
    return f"{times(ratio.median)} ({low} to {high})"


def same_job(evidence: Evidence, indices: Iterable[int], worst: int) -> list[int]:
    """Return the figures that one command measures together with the worst one."""
    figure = evidence.points[worst]
    return [
        index
        for index in indices
        if evidence.points[index].benchmark == figure.benchmark
        and evidence.points[index].knobs.keys() == figure.knobs.keys()
    ]


def compared_text(ratio: Ratio, word: str) -> str:
    """Return a ratio with the word for it, such as `1.8x faster (1.6 to 2.0)`.

    Of a large ratio that is hardly known, the end that is sure.
    """
    if ratio.interval is None:
        return f"{times(ratio.median)} {word}"
    low, high = ratio.interval
    if sure_end(ratio) != ratio.median:
        return f"at least {times(low)} {word}"
    ends = [times(end).removesuffix("x") for end in (low, high)]
    if set(ends) == {times(ratio.median).removesuffix("x")}:
        return f"{times(ratio.median)} {word}"
    return f"{times(ratio.median)} {word} ({' to '.join(ends)})"


def sure_end(ratio: Ratio) -> float:
    """Return the ratio, or the lower end of its interval where it is large and hardly known."""
    if (
        ratio.interval
        and ratio.median > _LARGE
        and ratio.interval.high > _VAGUE * ratio.interval.low
    ):
        return ratio.interval.low
    return ratio.median


def span(ends: Sequence[float]) -> str:
    """Return the least and the largest ratio, such as `1.2x to 3.4x`.

    >>> span([3.4, 1.2]), span([2.0])
    ('1.2x to 3.4x', '2.0x')
    """
    return " to ".join(dict.fromkeys((times(min(ends)), times(max(ends)))))


def and_text(texts: Sequence[str]) -> str:
    """Return several texts as a list in a sentence.

    >>> and_text(["1", "2", "3"])
    '1, 2 and 3'
    """
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1] if texts else ""]))


def notice_of(
    group: Collection[int],
    text: str,
    numbers: dict[str, float],
    *,
    advice: Advice | None = None,
    command: str | None = None,
    effect: float | None = None,
) -> Finding:
    """Return the notice of all these figures, of which the text is about the worst."""
    return Finding(
        severity="notice",
        text=f"{text}{worst_of(group)}",
        effect=effect,
        evidence=numbers,
        advice=advice,
        command=command,
        points=tuple(group),
    )


def worst_of(group: Collection[object], of: str = "figures") -> str:
    """Return the sentence that tells how many are like the one described, if any."""
    return f" Worst of {len(group)} such {of}." if len(group) > 1 else ""


def _own_choices(evidence: Evidence, point: PointSummary | MissingFigure) -> dict[str, Value]:
    varying = evidence.varying.get(point.benchmark, frozenset())
    named = {**point.axes, **point.conditions}
    return {name: named[name] for name in sorted(varying) if name in named}
