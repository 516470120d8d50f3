"""What can be tuned: collectives which the runtime replaces, and the benchmarks of them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.shipped import aliases, benchmarks
from leadline.model.description import Benchmark
from leadline.model.profile import LIBRARY
from leadline.model.summary import PointSummary

# The axis of a benchmark on which the library's own stands beside leadline's algorithms.
AXIS = "algorithm"
# The axis on which a benchmark of OpenSHMEM has several functions, each a collective of its own.
_CALL = "call"
# What profiles put before the names of OpenSHMEM's collectives, and what these do without one.
_SHMEM = "shmem"
_SHARED = "shared"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A collective, the benchmark that measures it, and leadline's algorithms for it.

    With `axes` the benchmark measures what a program calls. Without `sized` it moves no data: its
    one size is 0. Sizes are multiples of `multiple_of` bytes.
    """

    collective: str
    benchmark: str
    algorithms: tuple[str, ...]
    sized: bool
    axes: dict[str, str]
    multiple_of: int = 1

    def measured_by(self, figure: PointSummary) -> bool:
        """Tell whether the figure is of this collective, by whatever algorithm."""
        return figure.benchmark == self.benchmark and all(
            figure.axes.get(name) == value for name, value in self.axes.items() if name != AXIS
        )


def api_of(names: Sequence[str]) -> str:
    """Return the API of the benchmarks or collectives `names`: `shmem`, otherwise `mpi`.

    Raises `UserError` where they are of both.
    """
    of_shmem = [name.startswith((f"{_SHMEM}/", f"{_SHMEM}_")) for name in names]
    if any(of_shmem) and not all(of_shmem):
        raise UserError(
            f"{' '.join(names)} are of MPI and of OpenSHMEM: tune them one after the other; both "
            "write the same profile"
        )
    return _SHMEM if any(of_shmem) else "mpi"


def subjects(
    benchmarks: Iterable[Benchmark],
    known: Mapping[str, Set[str]],
    named: Sequence[str] = (),
    others: Sequence[str] = (),
) -> list[Subject]:
    """Return what can be tuned of `benchmarks`: all, or those `named`, whole or by collective.

    `known` has the algorithms of each collective that the runtime replaces; a name may be a pattern
    such as `mpi/all*`. Raises `UserError` for one that cannot be tuned, with those that can: these
    and `others`.
    """
    found = [one for each in benchmarks for one in _subjects(each, known)]
    if not named:
        return found
    chosen = []
    for name in named:
        of_name = [
            one
            for one in found
            if fnmatch.fnmatchcase(one.benchmark, name) or one.collective == name
        ]
        if not of_name:
            there = dict.fromkeys((*(one.benchmark for one in found), *others))
            raise UserError(f"{name} cannot be tuned: {suggestion(name, there, cutoff=0.75)}")
        chosen += [one for one in of_name if one not in chosen]
    return chosen


def _subjects(benchmark: Benchmark, known: Mapping[str, Set[str]]) -> Iterator[Subject]:
    name = benchmark.name.rpartition("/")[2]
    axes = {axis.name: axis for axis in benchmark.axes}
    sized = "bytes" in axes
    if AXIS in axes:
        if LIBRARY in axes[AXIS].choices and name in known:
            yield Subject(
                collective=name,
                benchmark=benchmark.name,
                algorithms=tuple(each for each in axes[AXIS].choices if each != LIBRARY),
                sized=sized,
                axes={AXIS: LIBRARY},
                multiple_of=axes["bytes"].multiple_of if sized else 1,
            )
        return
    for call in axes[_CALL].choices if _CALL in axes else ("",):
        collective = f"{benchmark.api}_{call or name}"
        if collective in known:
            yield Subject(
                collective=collective,
                benchmark=benchmark.name,
                algorithms=tuple(sorted(known[collective])),
                sized=sized,
                axes={_CALL: call} if call else {},
            )


def of_one_rule(source: Path) -> frozenset[str]:
    """Return the collectives whose ranks know no common size, so that one rule holds for all sizes.

    The runtime gives them no size (`info_without_size`). `source` is the folder of the sources.
    """
    return frozenset(
        path.stem
        for path in (source / "runtime" / "collectives").glob("*.cpp")
        if "info_without_size(" in path.read_text()
    )


def of_programs(source: Path) -> frozenset[str]:
    """Return MPI's collectives that the runtime replaces and a benchmark measures.

    `source` is the folder of the sources.
    """
    measured = benchmarks(source)
    replaced = (path.stem for path in (source / "runtime" / "collectives").glob("*.cpp"))
    return frozenset(name for name in replaced if f"mpi/{name}" in measured)


def known_algorithms(source: Path) -> dict[str, set[str]]:
    """Return the algorithms of each collective that the runtime replaces, MPI's and OpenSHMEM's.

    Names that they had before are among them. `source` is the folder of the sources.
    """
    former = aliases(source)
    of_mpi = {
        path.stem: {
            each.stem.partition("-")[2]
            for each in (source / "algorithms").rglob(f"{path.stem}-*.cpp")
        }
        | set(former.get(path.stem, ()))
        for path in (source / "runtime" / "collectives").glob("*.cpp")
    }
    of_shmem = (source / "runtime" / "shmem" / "collectives").glob("*.cpp")
    return {**of_mpi, **{f"{_SHMEM}_{path.stem}": {_SHARED} for path in of_shmem}}
