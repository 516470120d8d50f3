"""From a plan to the points that it means, and those of their roofs, before anything starts."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.units import expand_values, format_bytes
from leadline.measure.build.kernels import fits
from leadline.measure.knobs.known import combinations, distinct
from leadline.measure.plan.kernels import kernel_of, with_no_flags, words
from leadline.measure.plan.schedule import jobs_of, settings_of
from leadline.measure.plan.selection import ProbeSet, named
from leadline.model.description import READY, Axis, Benchmark, Roof
from leadline.model.interference import NEIGHBOUR, NEIGHBOUR_BYTES, SPACER, disturbed
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point, Value

_MOST_POINTS = 100_000


def expand(plan: Plan, probe_sets: Sequence[ProbeSet], memory_bytes: int) -> list[Point]:
    """Return every point of the plan, numbered.

    A benchmark is measured with each installation that has it. `memory_bytes` is what one node
    has. Raises `UserError` that names the first value which cannot be measured, and why.
    """
    points: list[Point] = []
    knobs = list(combinations(plan.knobs))
    for entry in plan.entries:
        _check_names(entry, probe_sets, plan.victims)
        for probe_set, name in _pairs(entry, probe_sets):
            benchmark = probe_set.benchmarks[name]
            placements = placements_for(entry, benchmark, plan)
            for placement, chosen in itertools.product(placements, knobs):
                values = _combinations(
                    entry, probe_set, benchmark, placement, memory_bytes, plan.victims
                )
                for axes, settings in values:
                    if not any(each is chosen for each in distinct(knobs, axes)):
                        continue
                    point = Point(
                        index=len(points),
                        benchmark=name,
                        axes=axes,
                        settings=settings,
                        placement=placement,
                        mpi=probe_set.installation.name,
                        api=benchmark.api,
                        knobs=chosen,
                    )
                    points.append(point)
                    if len(points) > _MOST_POINTS:
                        raise UserError(
                            f"the plan has more than {_MOST_POINTS} points: take fewer values"
                        )
    return points


def _pairs(entry: Entry, probe_sets: Sequence[ProbeSet]) -> Iterator[tuple[ProbeSet, str]]:
    """Yield each probe set with each benchmark that it has of those that the entry names."""
    for probe_set, wanted in itertools.product(probe_sets, entry.benchmarks):
        for name in named(wanted, probe_set.benchmarks):
            if name in probe_set.benchmarks:
                yield probe_set, name


def placements_for(entry: Entry, benchmark: Benchmark, plan: Plan) -> Iterator[Placement]:
    """Yield where to measure: every placement asked for, or for a pattern those that suit.

    Raises `UserError` for one that does not suit a benchmark which was named.
    """
    allowed = benchmark.processes
    for placement, job in jobs_of(plan).items():
        if entry.placements and job not in entry.placements:
            continue
        have, cure = placement.processes, ""
        if have < allowed.minimum:
            more = "" if allowed.maximum == allowed.minimum else " or more"
            problem, cure = f"needs {allowed.minimum}{more}", f": try --place 1x{allowed.minimum}"
        elif allowed.maximum and have > allowed.maximum:
            problem = f"uses at most {allowed.maximum}"
            cure = f": try --place 1x{allowed.maximum}"
        elif have % allowed.multiple_of:
            problem = f"needs a multiple of {allowed.multiple_of}"
        else:
            yield placement
            continue
        if benchmark.name in entry.benchmarks:
            raise UserError(
                f"{benchmark.name} {problem} processes and placement {placement} has {have}{cure}"
            )


def axis_values(axis: Axis, text: str) -> list[Value]:
    """Return the values of an axis that `text` means. Raises `UserError` for one not allowed."""
    if axis.kind == "word":
        return list(words(axis, text))
    values: list[Value]
    if axis.kind == "choice":
        written = [word.strip() for word in text.split(",")]
        every = written == ["all"] and "all" not in axis.choices
        values = list(dict.fromkeys(axis.choices if every else written))
        for value in values:
            if value not in axis.choices:
                hint = suggestion(str(value), axis.choices)
                raise UserError(f"{axis.name}={value} is unknown: {hint}")
        return values
    try:
        if axis.kind == "number":
            values = [float(word) for word in text.split(",")]
        else:
            values = list(expand_values(text))
    except ValueError as error:
        raise UserError(f"{axis.name}={text} is not a list of numbers: write 1 or 0.5,2") from error
    except UserError as error:
        raise UserError(f"{axis.name}={text}: {error}") from error
    low, high = axis.minimum, axis.maximum
    for value in values:
        if low is not None and not (float(value) >= low):
            raise UserError(f"{axis.name}={value} is too small: {low:g} or more is allowed")
        if high is not None and not (float(value) <= high):
            raise UserError(f"{axis.name}={value} is too large: {high:.0f} or less is allowed")
        if axis.kind != "number" and int(value) % axis.multiple_of:
            raise UserError(f"{axis.name}={value} is not a multiple of {axis.multiple_of}")
    return values


def _check_names(entry: Entry, probe_sets: Sequence[ProbeSet], victims: int) -> None:
    known = {axis.name for o, name in _pairs(entry, probe_sets) for axis in o.benchmarks[name].axes}
    for name in entry.axes:
        if name not in known:
            raise UserError(
                f"{', '.join(entry.benchmarks)} has no axis {name!r}: there is "
                f"{', '.join(sorted(known)) or 'none'}"
            )
    probes = [probe.description for probe_set in probe_sets for probe in probe_set.probes.values()]
    settings = {axis.name for each in probes for axis in settings_of(each, victims)}
    for name in entry.settings:
        if name in (NEIGHBOUR, SPACER, NEIGHBOUR_BYTES) and not victims:
            raise UserError(
                f"setting {name} goes with --victims: how many nodes of a placement measure while "
                "the others disturb them, such as --place 4x1 --victims 2"
            )
        if name not in settings:
            raise UserError(f"no setting {name!r}: there is {', '.join(sorted(settings))}")


def _combinations(
    entry: Entry,
    probe_set: ProbeSet,
    benchmark: Benchmark,
    placement: Placement,
    memory_bytes: int,
    victims: int,
) -> Iterator[tuple[dict[str, Value], dict[str, Value]]]:
    """Yield the values of the benchmark's axes and of the harness's settings."""
    name = benchmark.name
    axes = {axis.name: axis_values(axis, _text(entry, axis)) for axis in benchmark.axes}
    if benchmark.kernels:
        axes = with_no_flags(axes)
        if not any(fits(kernel_of(values)) for values in _each(axes)):
            raise UserError(
                f"{name}: none of these variants is for one of these compilers: sources need one "
                f"of their language, libraries have the compiler {READY}"
            )
    settings = {
        axis.name: axis_values(axis, entry.settings.get(axis.name, axis.default))
        for axis in settings_of(probe_set.probes[benchmark.api].description, victims)
    }
    for start in settings.get("start", []):
        if benchmark.starts and start not in ("default", *benchmark.starts):
            raise UserError(
                f"{name} cannot start {start}: allowed are {', '.join(benchmark.starts)}"
            )
    for axis in benchmark.axes:
        largest = max(map(int, axes[axis.name])) if axis.kind == "bytes" else 0
        needed = 2 * largest * placement.processes_per_node
        if needed > memory_bytes:
            raise UserError(
                f"{axis.name}={largest} needs {format_bytes(needed)} on a node, for a send and a "
                f"receive buffer in each of {placement.processes_per_node} processes, and a node "
                f"has {memory_bytes / 2**30:.1f} GiB: take a smaller size"
            )
    for chosen in _each({**axes, **settings}):
        if benchmark.kernels and not fits(kernel_of(chosen)):
            continue
        of_harness = {key: chosen[key] for key in settings}
        # Alone is alone, whatever would be kept away.
        idle = [key for key in (SPACER, NEIGHBOUR_BYTES) if victims and not disturbed(of_harness)]
        if all(of_harness[key] == settings[key][0] for key in idle):
            yield {key: chosen[key] for key in axes}, of_harness


def _each(values: Mapping[str, Sequence[Value]]) -> Iterator[dict[str, Value]]:
    for chosen in itertools.product(*values.values()):
        yield dict(zip(values, chosen, strict=True))


def _text(entry: Entry, axis: Axis) -> str:
    usual = axis.quick if entry.values == "quick" and axis.quick else axis.default
    return entry.axes.get(axis.name, usual)


def with_roofs(points: Sequence[Point], probe_sets: Sequence[ProbeSet]) -> list[Point]:
    """Return `points` and behind them, numbered on, the roofs of each that are not among them.

    One that this probe does not have, or not at that size, is left out.
    """
    known = {probe_set.installation.name: probe_set.benchmarks for probe_set in probe_sets}
    there = {_identity(point) for point in points}
    every = list(points)
    for point in points:
        benchmarks = known[point.mpi]
        for roof in benchmarks[point.benchmark].roofs:
            if roof.benchmark not in benchmarks:
                continue
            above = _roof_point(point, roof, benchmarks[roof.benchmark])
            if above and _identity(above) not in there:
                there.add(_identity(above))
                every.append(msgspec.structs.replace(above, index=len(every)))
    return every


def _roof_point(point: Point, roof: Roof, benchmark: Benchmark) -> Point | None:
    """Return the roof's point for `point`, with no number of its own; None if it has no such."""
    axes: dict[str, Value] = {}
    for axis in benchmark.axes:
        if axis.name == roof.size_axis:
            size = nearest_size(axis, float(point.axes[roof.of_axis]) * roof.times)
            if size is None:
                return None
            axes[axis.name] = size
        else:
            axes[axis.name] = axis_values(axis, roof.values.get(axis.name, axis.default))[0]
    return msgspec.structs.replace(point, benchmark=benchmark.name, axes=axes, api=benchmark.api)


def nearest_size(axis: Axis, size: float) -> int | None:
    """Return the size that the axis allows next to `size`, None for one out of its range.

    >>> nearest_size(Axis(name="bytes", kind="bytes", summary="", default="8", multiple_of=64), 100)
    128
    """
    nearest = max(1, round(size / axis.multiple_of)) * axis.multiple_of
    low, high = axis.minimum or 0, axis.maximum or float("inf")
    return nearest if low <= nearest <= high else None


def _identity(point: Point) -> tuple[object, ...]:
    return (
        point.benchmark,
        point.mpi,
        str(point.placement),
        *sorted(point.axes.items()),
        *sorted(point.settings.items()),
        *sorted(point.knobs.items()),
    )
