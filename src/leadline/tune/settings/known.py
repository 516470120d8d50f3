"""The settings that are worth racing: one file for each family of libraries, and one for all."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.measure.knobs.knob import Unsupported, carried_by_ucx, major
from leadline.measure.knobs.known import knob_values, knobs, known_break, with_knobs
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement


class Known(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting: a `knob`, or a `variable` with a name and a few words on what it is about.

    The most promising of `values` come first: with little time the last ones are left out. It is of
    libraries with one of the `majors` as first number of their version, of any without.
    `between_nodes` where only messages between nodes feel it.
    """

    values: tuple[str, ...]
    knob: str = ""
    variable: str = ""
    name: str = ""
    about: str = ""
    majors: tuple[int, ...] = ()
    between_nodes: bool = False


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of settings of the libraries of these `families` and `majors`, of all without.

    `felt_by` are the benchmarks that show what they are worth. `carried_by_ucx` is whether UCX
    carries messages inside a node there, where that matters.
    """

    felt_by: tuple[str, ...]
    setting: tuple[Known, ...]
    families: tuple[str, ...] = ()
    majors: tuple[int, ...] = ()
    carried_by_ucx: bool | None = None

    def is_for(self, installation: Installation) -> bool:
        """Tell whether its settings are the installation's."""
        return (
            (not self.families or installation.family in self.families)
            and (not self.majors or major(installation) in self.majors)
            and self.carried_by_ucx in (None, carried_by_ucx(installation))
        )


class Choice(NamedTuple):
    """One value of one setting, and the variables that it comes down to."""

    setting: str
    value: str
    about: str
    variables: dict[str, str]

    @property
    def name(self) -> str:
        """The setting with its value, such as `single_copy=off`."""
        return f"{self.setting}={self.value}"


def choices(installation: Installation, placements: Sequence[Placement]) -> list[Choice]:
    """Return all that can be raced with an installation: first each setting's first value.

    Left out is what is known to break programs, and a setting that only messages between nodes feel
    where no placement has several.
    """
    several = any(placement.nodes > 1 for placement in placements)
    found = [
        list(_choices(known, installation))
        for file in settings_files()
        if file.is_for(installation)
        for known in file.setting
        if (several or not known.between_nodes)
        and (not known.majors or major(installation) in known.majors)
    ]
    ranked = [(rank, choice) for of_one in found for rank, choice in enumerate(of_one)]
    return [choice for _, choice in sorted(ranked, key=lambda each: each[0])]


def feeling(names: Sequence[str]) -> list[str]:
    """Return the benchmarks that feel any setting: those that match `names`, or all without."""
    everything = dict.fromkeys(name for file in settings_files() for name in file.felt_by)
    return [
        each
        for each in everything
        if not names or any(fnmatch.fnmatchcase(each, name) for name in names)
    ]


@cache
def settings_files() -> tuple[SettingsFile, ...]:
    """Return all files."""
    folder = Path(__file__).parent
    texts = (path.read_text() for path in sorted(folder.glob("*.toml")))
    return tuple(msgspec.convert(tomllib.loads(text), SettingsFile) for text in texts)


def _choices(known: Known, installation: Installation) -> Iterator[Choice]:
    if not known.knob:
        for value in known.values:
            yield Choice(known.name, value, known.about, {known.variable: value})
        return
    knob = knobs()[known.knob]
    for value in knob_values(knob.name, ",".join(known.values)):
        if known_break(installation.name, knob.name, value):
            continue
        try:
            job = with_knobs(
                Job(program=("",), placement=Placement(1, 1)), installation, {knob.name: value}
            )
        except Unsupported:
            continue
        yield Choice(knob.name, value, knob.summary, job.environment)
