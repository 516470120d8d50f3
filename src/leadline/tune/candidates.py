"""Candidates, the algorithms that a tuning races, and the plans that measure them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from leadline.measure.knobs.knob import DEFAULT
from leadline.model.plan import Entry
from leadline.model.profile import LIBRARY
from leadline.model.summary import PointSummary
from leadline.tune.subjects import AXIS, Subject


class Cell(NamedTuple):
    """One decision: a collective at one size in bytes, 0 where it moves no data."""

    collective: str
    bytes: int


class Part(NamedTuple):
    """What one run measures: entries of a plan, and its knobs."""

    entries: tuple[Entry, ...]
    knobs: dict[str, str]


class Candidates(Protocol):
    """The library's own choice, `LIBRARY`, and the algorithms that may replace it."""

    def names(self, subject: Subject) -> tuple[str, ...]:
        """Return the names of all candidates, the library's own choice first."""

    def parts(
        self, subjects: Mapping[str, Subject], left: Mapping[Cell, tuple[str, ...]]
    ) -> Iterator[Part]:
        """Yield what measures the candidates `left` of each cell."""

    def name_of(self, figure: PointSummary) -> str:
        """Return the name of the candidate that a figure is of."""


class OurAlgorithms:
    """leadline's algorithms against the library's own choice: values of an axis, in one launch."""

    def names(self, subject: Subject) -> tuple[str, ...]:
        """Return them."""
        return (LIBRARY, *subject.algorithms)

    def parts(
        self, subjects: Mapping[str, Subject], left: Mapping[Cell, tuple[str, ...]]
    ) -> Iterator[Part]:
        """Yield one part: all cells with the same candidates of a collective are one entry."""
        together: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for cell, names in left.items():
            together.setdefault((cell.collective, names), []).append(cell.bytes)
        if together:
            yield Part(
                tuple(
                    entry(subjects[collective], sizes, {AXIS: ",".join(names)})
                    for (collective, names), sizes in together.items()
                ),
                {},
            )

    def name_of(self, figure: PointSummary) -> str:
        """Return the value on the axis."""
        return str(figure.axes[AXIS])


class UnderRuntime:
    """What the runtime does against the library: the program's own calls, in launches of both.

    For benchmarks that cannot call leadline's algorithms by name.
    """

    _KNOB = "runtime"

    def __init__(self, algorithm: str, profile: Path) -> None:
        """`profile` has `algorithm` for all collectives and sizes."""
        self._algorithm = algorithm
        self._profile = profile

    def names(self, subject: Subject) -> tuple[str, ...]:
        """Return both."""
        return (LIBRARY, self._algorithm)

    def parts(
        self, subjects: Mapping[str, Subject], left: Mapping[Cell, tuple[str, ...]]
    ) -> Iterator[Part]:
        """Yield one part with all cells."""
        if left:
            yield Part(calls(subjects, left), {self._KNOB: f"off,{self._profile}"})

    def name_of(self, figure: PointSummary) -> str:
        """Return what the knob's value stands for."""
        return LIBRARY if figure.knobs.get(self._KNOB, "off") == "off" else self._algorithm


class LibraryAlgorithms:
    """The library's own algorithms against its choice: values of a knob, in launches of their own.

    Each collective is a run for itself, so that an algorithm that fails takes no other with it.
    """

    _KNOB = "collective_algorithm"

    def __init__(self, offered: Mapping[str, tuple[str, ...]]) -> None:
        """`offered` are the library's algorithms of each collective."""
        self._offered = offered

    def names(self, subject: Subject) -> tuple[str, ...]:
        """Return them."""
        return (LIBRARY, *self._offered.get(subject.collective, ()))

    def parts(
        self, subjects: Mapping[str, Subject], left: Mapping[Cell, tuple[str, ...]]
    ) -> Iterator[Part]:
        """Yield a part for each collective: all its sizes with all that any of them has left."""
        for collective in dict.fromkeys(cell.collective for cell in left):
            cells = {cell: names for cell, names in left.items() if cell.collective == collective}
            names = dict.fromkeys(name for of_cell in cells.values() for name in of_cell)
            values = [DEFAULT, *(f"{collective}:{name}" for name in names if name != LIBRARY)]
            sizes = [cell.bytes for cell in cells]
            yield Part((entry(subjects[collective], sizes),), {self._KNOB: ",".join(values)})

    def name_of(self, figure: PointSummary) -> str:
        """Return the algorithm in the knob's value."""
        value = figure.knobs.get(self._KNOB, DEFAULT)
        return LIBRARY if value == DEFAULT else value.partition(":")[2]


def calls(subjects: Mapping[str, Subject], cells: Iterable[Cell]) -> tuple[Entry, ...]:
    """Return the entries of a plan that measure the program's own calls."""
    sizes: dict[str, list[int]] = {}
    for cell in cells:
        sizes.setdefault(cell.collective, []).append(cell.bytes)
    return tuple(entry(subjects[collective], each) for collective, each in sizes.items())


def entry(subject: Subject, sizes: Sequence[int], axes: Mapping[str, str] | None = None) -> Entry:
    """Return the entry of a plan that measures the subject at these sizes.

    What is in `axes` is measured in the place of the program's own calls.
    """
    chosen = {**subject.axes, **(axes or {})}
    if subject.sized:
        chosen["bytes"] = ",".join(map(str, sizes))
    return Entry(benchmarks=(subject.benchmark,), axes=chosen)
