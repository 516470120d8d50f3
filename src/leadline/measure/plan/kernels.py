"""Benchmarks of kernels: what their axes can be here, and the library of each of their points."""

import fnmatch
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build.cmake import require_compilers
from leadline.measure.build.kernels import Catalogue, Failure, Kernel, build_kernels, catalogue
from leadline.measure.plan.selection import ProbeSet, Say, named
from leadline.model.description import AXES, COMPILER, FLAGS, NO_FLAGS, READY, Axis, Benchmark
from leadline.model.plan import Entry, Plan, Point, Value
from leadline.site.software.compiler import kind_named

Catalogues = Mapping[str, Catalogue]


def kernel_of(values: Mapping[str, Value]) -> Kernel:
    """Return the kernel that the values of a point's axes name."""
    return Kernel(*(str(values[axis]) for axis in AXES))


def words(axis: Axis, text: str) -> list[str]:
    """Return the values of an axis of words that `text` means; `all` means all that are here.

    A value may be a pattern, or the beginning of a name: `gcc` means `gcc-12.2.0`, `plain` means
    `plain.c`. Raises `UserError` for one that means nothing.
    """
    values: dict[str, None] = {}
    for item in map(str.strip, text.split(",")):
        pattern = "*" if item == "all" else item
        meant = [
            value
            for value in axis.choices
            if _begins(value, item) or fnmatch.fnmatchcase(value, pattern)
        ]
        if not axis.choices and item and not any(letter.isspace() for letter in item):
            meant = [item]
        if not meant:
            there = ", ".join(axis.choices) or "words such as -O2 or -O3+-march=native"
            raise UserError(f"{axis.name}={item} is not here: there is {there}")
        values |= dict.fromkeys(meant)
    return list(values)


def _begins(value: str, item: str) -> bool:
    return value == item or value.startswith((f"{item}-", f"{item}."))


def probes_with_choices(
    names: Sequence[str], probe_sets: Sequence[ProbeSet]
) -> tuple[list[ProbeSet], Catalogues]:
    """Return the probe sets with the choices of those benchmarks `names` that measure kernels."""
    known = {name: each for probe_set in probe_sets for name, each in probe_set.benchmarks.items()}
    meant = {each for name in names for each in named(name, known) if each in known}
    kernels = {known[name].kernels for name in meant if known[name].kernels}
    there = {name: catalogue(name, source_folder() / "kernels") for name in sorted(kernels)}
    return [_with_choices(each, there) if there else each for each in probe_sets], there


def _with_choices(probe_set: ProbeSet, there: Catalogues) -> ProbeSet:
    """Return the probes with the values that the axes of their kernels can have here."""
    replace = msgspec.structs.replace

    def chosen(benchmark: Benchmark) -> Benchmark:
        if benchmark.kernels not in there:
            return benchmark
        axes = [
            replace(axis, choices=there[benchmark.kernels].choices(axis.name))
            if axis.kind == "word"
            else axis
            for axis in benchmark.axes
        ]
        return replace(benchmark, axes=tuple(axes))

    probes = {}
    for api, probe in probe_set.probes.items():
        benchmarks = tuple(map(chosen, probe.description.benchmarks))
        description = replace(probe.description, benchmarks=benchmarks)
        probes[api] = replace(probe, description=description)
    return replace(probe_set, probes=probes)


def with_catalogues(
    plan: Plan, probe_sets: Sequence[ProbeSet], say: Say
) -> tuple[Plan, list[ProbeSet], Catalogues]:
    """Return plan and probe_sets with what there is here of the kernels that the plan measures.

    `say` is told of compilers that the plan names and that are not installed: they are left out.
    """
    names = [name for entry in plan.entries for name in entry.benchmarks]
    chosen, there = probes_with_choices(names, probe_sets)
    if not there:
        return plan, chosen, there
    installed = {name for each in there.values() for name in each.compilers}
    entries = tuple(_with_what_is_installed(entry, installed, say) for entry in plan.entries)
    return msgspec.structs.replace(plan, entries=entries), chosen, there


def _with_what_is_installed(entry: Entry, installed: set[str], say: Say) -> Entry:
    if COMPILER not in entry.axes:
        return entry
    left: list[str] = []
    lacking: list[str] = []
    for item in (item.strip() for item in entry.axes[COMPILER].split(",")):
        kind = kind_named(item)
        here = kind is None or any(_begins(name, kind) for name in installed)
        (left if here else lacking).append(kind if here and kind else item)
    if lacking and not left:
        raise UserError(
            f"{lacking[0]} is not installed: there is {', '.join(sorted(installed)) or 'none'}"
        )
    for item in lacking:
        say(f"left out: {item} is not installed")
    return msgspec.structs.replace(entry, axes={**entry.axes, COMPILER: ",".join(left)})


def with_no_flags(values: Mapping[str, list[Value]]) -> dict[str, list[Value]]:
    """Return the values of a kernel's axes with what libraries that are ready have for flags."""
    for flags in map(str, values[FLAGS]):
        if not flags.startswith("-") and flags != NO_FLAGS:
            raise UserError(
                f"{FLAGS}={flags} are no flags: each begins with -, and + stands before the next, "
                "such as -O3+-march=native"
            )
    return {**values, FLAGS: list(dict.fromkeys([*values[FLAGS], NO_FLAGS]))}


def with_libraries(
    points: Sequence[Point], probe_sets: Sequence[ProbeSet], there: Catalogues, say: Say
) -> list[Point]:
    """Return the points, numbered anew, each with the library of its kernel, built now if need be.

    What cannot be built is left out, of which `say` is told. Raises `UserError` where nothing is
    left at all.
    """
    known = {
        name: each.kernels
        for probe_set in probe_sets
        for name, each in probe_set.benchmarks.items()
    }
    wanted: dict[str, dict[Kernel, None]] = {name: {} for name in there}
    for point in points:
        if name := known[point.benchmark]:
            wanted[name][kernel_of(point.axes)] = None
    built = {
        name: build_kernels(list(kernels), there[name], say) for name, kernels in wanted.items()
    }
    left: list[Point] = []
    for point in points:
        if name := known[point.benchmark]:
            library = built[name][kernel_of(point.axes)]
            if isinstance(library, Failure):
                continue
            point = msgspec.structs.replace(point, library=str(library))
        left.append(msgspec.structs.replace(point, index=len(left)))
    lines = [line for outcomes in built.values() for line in _format_failures(outcomes)]
    if lines and not left:
        # What compilers make of a kernel is what is measured.
        require_compilers(os.environ)
        raise UserError(lines[0])
    for line in lines:
        say(f"left out: {line}")
    return left


def _format_failures(outcomes: Mapping[Kernel, Path | Failure]) -> Iterator[str]:
    """Yield a line for each compiler with flags that fails, with the first variant's reason."""
    failed: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for kernel, outcome in outcomes.items():
        if isinstance(outcome, Failure):
            with_what = failed.setdefault((kernel.compiler, kernel.flags), [])
            with_what.append((kernel.variant, outcome.reason))
    for (compiler, flags), variants in failed.items():
        if compiler == READY:
            yield from (f"{variant}: {reason}" for variant, reason in variants)
        else:
            first, reason = variants[0]
            more = f" and {len(variants) - 1} more" if len(variants) > 1 else ""
            yield f"{first}{more} with {compiler} {flags}: {reason}"
