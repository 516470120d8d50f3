"""The knobs by name, and how those of a launch change its job."""

import fnmatch
import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.measure.knobs import collectives, hints, memory, messages, program
from leadline.measure.knobs.knob import DEFAULT, Knob, Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

_THEMES = (messages, collectives, memory, program, hints)


class Break(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calls that fail with a value of a knob in the MPIs whose names the pattern `mpi` means."""

    mpi: str
    knob: str
    value: str
    calls: str


def known_break(mpi: str, knob: str, value: str) -> str:
    """Return the calls that are known to fail with a value of a knob; empty where none are."""
    for each in _breaks():
        if (each.knob, each.value) == (knob, value) and fnmatch.fnmatchcase(mpi, each.mpi):
            return each.calls
    return ""


@cache
def _breaks() -> tuple[Break, ...]:
    text = (Path(__file__).parent / "breaks.toml").read_text()
    return tuple(msgspec.convert(tomllib.loads(text)["known"], list[Break]))


@cache
def knobs() -> Mapping[str, Knob]:
    """Return every knob by name."""
    every = (knob for theme in _THEMES for knob in theme.KNOBS)
    return {each.name: each for each in sorted(every, key=lambda knob: knob.name)}


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
        raise UserError(f"no knob {name!r}: {hint} (`leadline mpi knobs` lists them)")
    values: dict[str, None] = {}
    for word in map(str.strip, text.split(",")):
        try:
            values[DEFAULT if word == DEFAULT else knob.canonical(word)] = None
        except UserError as error:
            raise UserError(f"knob {name}={word}: {error}") from error
    return list(values)


def distinct(
    chosen: Sequence[Mapping[str, str]], axes: Mapping[str, Value]
) -> list[Mapping[str, str]]:
    """Return of these combinations of knobs the first of those alike for points with `axes`."""
    found: dict[tuple[str, ...], Mapping[str, str]] = {}
    for each in chosen:
        changing = ((knobs()[name].changes, value) for name, value in each.items())
        telling = (value for changes, value in changing if changes is None or changes(axes))
        found.setdefault(tuple(telling), each)
    return list(found.values())


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
    listed = [[(name, each) for each in knob_values(name, text)] for name, text in chosen.items()]
    yield from map(dict, itertools.product(*listed))
