"""What can be tuned: collectives which the runtime replaces, and the benchmarks of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from leadline.errors import UserError
from leadline.model.description import Benchmark
from leadline.model.profile import LIBRARY

# The axis of a benchmark on which the library's own stands beside leadline's algorithms.
AXIS = "algorithm"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A collective, the benchmark that measures it, and leadline's algorithms for it.

    Without `sized` it moves no data: its one size is 0.
    """

    collective: str
    benchmark: str
    algorithms: tuple[str, ...]
    sized: bool


def subjects(
    benchmarks: Iterable[Benchmark], replaced: set[str], named: Sequence[str] = ()
) -> list[Subject]:
    """Return what can be tuned of `benchmarks`: all, or those `named`, whole or by collective.

    `replaced` are the collectives that the runtime replaces. Raises `UserError` for a name that
    cannot be tuned, with those that can.
    """
    found = [one for each in benchmarks if (one := _subject(each, replaced))]
    there = {name: one for one in found for name in (one.benchmark, one.collective)}
    for name in named:
        if name not in there:
            raise UserError(
                f"{name} cannot be tuned: {', '.join(one.benchmark for one in found) or 'nothing'}"
                " can"
            )
    return list(dict.fromkeys(there[name] for name in named)) if named else found


def _subject(benchmark: Benchmark, replaced: set[str]) -> Subject | None:
    collective = benchmark.name.rpartition("/")[2]
    for axis in benchmark.axes:
        if axis.name == AXIS and LIBRARY in axis.choices and collective in replaced:
            return Subject(
                collective=collective,
                benchmark=benchmark.name,
                algorithms=tuple(each for each in axis.choices if each != LIBRARY),
                sized=any(each.name == "bytes" for each in benchmark.axes),
            )
    return None


def replaced_collectives(source: Path) -> set[str]:
    """Return the collectives that the runtime replaces; `source` is the folder of the sources."""
    return {path.stem for path in (source / "runtime" / "collectives").glob("*.cpp")}


def known_algorithms(source: Path) -> dict[str, set[str]]:
    """Return the algorithms of each collective that the runtime replaces."""
    return {
        collective: {
            path.stem.partition("-")[2]
            for path in (source / "algorithms" / collective).glob(f"{collective}-*.cpp")
        }
        for collective in replaced_collectives(source)
    }
