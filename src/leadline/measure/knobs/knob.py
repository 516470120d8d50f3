"""What every knob is, and how the knobs of a launch change its job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol, runtime_checkable

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.plugins import plugins
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

# A value of every knob: what the library does by itself.
DEFAULT = "default"


class Unsupported(UserError):
    """The installation has nothing that a value of a knob could be translated to."""


class Knob(Protocol):
    """A choice that means the same with every MPI. One file each, found by its `KNOB`.

    `values` says in a few words what may be chosen, such as `a size, such as 16K`.
    """

    @property
    def name(self) -> str:
        """The name of the file."""

    @property
    def summary(self) -> str:
        """What it changes, in a few words."""

    @property
    def values(self) -> str:
        """What may be chosen beside `default`."""

    def canonical(self, text: str) -> str:
        """Return the one spelling of the value `text`. Raises `UserError` where it is none."""

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return `job` with the canonical `value`, which is never `default`.

        A pure function. Raises `Unsupported` where `installation` has nothing of the kind.
        """


@runtime_checkable
class Choosable(Protocol):
    """A knob whose values differ between installations, and can be listed."""

    def choices(self, installation: Installation) -> Iterable[str]:
        """Return every value that `installation` has."""


@runtime_checkable
class Selective(Protocol):
    """A knob that changes some points only: the others are measured once, with its first value."""

    def changes(self, axes: Mapping[str, Value]) -> bool:
        """Tell whether a value changes what points with these `axes` do."""


@cache
def knobs() -> Mapping[str, Knob]:
    """Return every knob by name."""
    return {each.name: each for each in plugins("leadline.measure.knobs.known", "KNOB")}


def knob_values(name: str, text: str) -> list[str]:
    """Return the values of the knob `name` that `text` lists, each in its one spelling.

    Raises `UserError` for a knob or value that is not known.
    """
    knob = knobs().get(name)
    if knob is None:
        if name.isupper():
            raise UserError(
                f"{name} is a variable, not a knob: type `export {name}={text}` first, or write it "
                "to a file for --knob variables=default,FILE"
            )
        hint = suggestion(name, sorted(knobs()))
        raise UserError(f"no knob {name!r}: {hint} (`leadline knobs` lists them)")
    return list(dict.fromkeys(_canonical(knob, word.strip()) for word in text.split(",")))


def distinct(
    chosen: Sequence[Mapping[str, str]], axes: Mapping[str, Value]
) -> list[Mapping[str, str]]:
    """Return of these combinations of knobs the first of those alike for points with `axes`."""
    found: dict[tuple[str, ...], Mapping[str, str]] = {}
    for each in chosen:
        telling = (value for name, value in each.items() if _changes(knobs()[name], axes))
        found.setdefault(tuple(telling), each)
    return list(found.values())


def _changes(knob: Knob, axes: Mapping[str, Value]) -> bool:
    return not isinstance(knob, Selective) or knob.changes(axes)


def _canonical(knob: Knob, word: str) -> str:
    if word == DEFAULT:
        return DEFAULT
    try:
        return knob.canonical(word)
    except UserError as error:
        raise UserError(f"knob {knob.name}={word}: {error}") from error


def with_knobs(job: Job, installation: Installation, chosen: Mapping[str, str]) -> Job:
    """Return `job` with the `chosen` value of each knob.

    Raises `Unsupported`, naming knob and installation, where one cannot be had.
    """
    for name, value in chosen.items():
        if value != DEFAULT:
            try:
                job = knobs()[name].apply(value, job, installation)
            except Unsupported as error:
                raise Unsupported(
                    f"knob {name}={value} with {installation.name}: {error}"
                ) from error
    return job


def combinations(chosen: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield each combination of the values that the text of each knob lists.

    Raises `UserError` for a knob or value that is not known.
    """
    import itertools

    listed = {name: knob_values(name, text) for name, text in chosen.items()}
    for values in itertools.product(*listed.values()):
        yield dict(zip(listed, values, strict=True))
