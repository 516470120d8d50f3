"""What is known before anything is tried: the tables that ship, and what programs learnt."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.model.profile import LIBRARY, PROFILE_FORMAT, Profile, Rule

# What MPI_Get_library_version of each family says, in any version.
LIBRARIES = {"mpich": "MPICH Version", "openmpi": "Open MPI", "intel": "Intel(R) MPI Library"}
_FOLDER = Path(__file__).parent / "priors"
ANY_MACHINE = "any"


class _Key(NamedTuple):
    collective: str
    nodes: int | None
    processes: int | None
    algorithm: str


def table_of(family: str) -> Path | None:
    """Return the file for the MPIs of a family, or None where nothing ships for it."""
    file = _FOLDER / f"{family}.toml"
    return file if file.is_file() else None


def common_choices(profiles: Sequence[Profile], family: str) -> Profile:
    """Return the rules that all the tuned profiles of a family share, without times.

    A range of sizes counts only where every profile names the same algorithm for the same number of
    nodes and processes. What a machine was not tuned for is in no common range.

    >>> rule = Rule(collective="bcast", algorithm="shared", nodes=1, processes=2, to_bytes=64)
    >>> here = Profile(format=1, machine="m", library="MPICH Version 5", rule=(rule,))
    >>> common_choices([here], "mpich").rule[0].to_bytes
    64

    Raises `UserError` for profiles of another family, or none.
    """
    if not profiles:
        raise UserError("no profile given: `leadline tune` writes one")
    for each in profiles:
        if LIBRARIES[family] not in each.library:
            raise UserError(f"the profile for {each.library} is of another family than {family}")
    first, *others = profiles
    common = [rule for rule in first.rule if rule.algorithm != LIBRARY]
    for profile in others:
        common = [part for rule in common for part in _shared_parts(rule, profile.rule)]
    rules = tuple(
        Rule(
            **_key(rule)._asdict(),
            from_bytes=rule.from_bytes,
            to_bytes=rule.to_bytes,
        )
        for rule in common
    )
    return Profile(
        format=PROFILE_FORMAT, machine=ANY_MACHINE, library=LIBRARIES[family], rule=rules
    )


def _shared_parts(rule: Rule, others: Sequence[Rule]) -> Iterator[Rule]:
    for other in others:
        if _key(other) != _key(rule):
            continue
        first = max(rule.from_bytes, other.from_bytes)
        ends = [each.to_bytes for each in (rule, other) if each.to_bytes is not None]
        last = min(ends, default=None)
        if last is None or first <= last:
            yield Rule(**_key(rule)._asdict(), from_bytes=first, to_bytes=last)


def _key(rule: Rule) -> _Key:
    return _Key(rule.collective, rule.nodes, rule.processes, rule.algorithm)


# Files of jobs that start while others end stay there for a while.
_KEPT = 8


def learning(
    name: str, family: str, machine: Callable[[], str], profile: Path | None
) -> dict[str, str]:
    """Return the variables for a program to learn, with the MPI of that `name` and `family`.

    It starts from the last file that was learnt on this machine, whose name `machine` returns,
    unless the `profile` is newer: a machine that was tuned again is another one. Older files go.
    """
    folder = paths.learnt() / name
    settings = {"LEADLINE_LEARN": str(folder)}
    if table := table_of(family):
        settings["LEADLINE_PRIOR"] = str(table)
    files = _files(folder)
    for old in files[_KEPT:]:
        old.unlink(missing_ok=True)
    last = _last(files[:_KEPT], machine()) if files else None
    if last and not (profile and _written(profile) > _written(last)):
        settings["LEADLINE_LEARNT"] = str(last)
    return settings


def _last(files: Sequence[Path], machine: str) -> Path | None:
    for file in files:
        try:
            if tomllib.loads(file.read_text()).get("machine") == machine:
                return file
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
    return None


def _files(folder: Path) -> list[Path]:
    """Return the files, the last one first: their names begin with the time."""
    return sorted(folder.glob("*.toml"), reverse=True)


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0
