"""What puts choices into force: files, and variables that lead programs to them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from leadline.model.placement import Placement
from leadline.model.profile import LIBRARY, PROFILE_FORMAT, Measured, Profile, Rule
from leadline.model.tuning import Verdict
from leadline.tune.candidates import Cell
from leadline.tune.profile import profile_text, write_file
from leadline.tune.ranges import Range, Span, Times, ranges, spanned

Value = TypeVar("Value")
# What is chosen for each cell, in communicators of each shape.
Choices = Mapping[Placement, Mapping[Cell, str]]


class Table(NamedTuple):
    """The ranges of one collective in communicators of one shape.

    With `every_size`, the one range holds beyond its ends.
    """

    placement: Placement
    collective: str
    ranges: tuple[Range, ...]
    every_size: bool = False


class Deployment(Protocol):
    """What writes files that put choices into force."""

    def write(
        self, tables: Sequence[Table], folder: Path, proof: Sequence[Verdict], final: bool
    ) -> tuple[Path, list[Path]]:
        """Write to `folder` what puts the tables into force.

        Return the file of variables, and all files. Until it is `final`, files are tried only.
        """


# For which sizes a cell speaks, in communicators of each shape.
Spans = Mapping[Placement, Mapping[Cell, Span]]


def tables(
    choices: Choices,
    sizes: Sequence[int],
    one_rule: Set[str] = frozenset(),
    spans: Spans | None = None,
    raced: Mapping[Placement, Mapping[Cell, Times]] | None = None,
) -> list[Table]:
    """Return the ranges of the choices; `sizes` are all sizes that were measured.

    Collectives of `one_rule` have one range for all sizes. With `spans` a cell speaks for its own,
    else neighbours meet between their sizes, where what was `raced` says.
    """
    found = []
    for placement, cells in sorted(choices.items()):
        ours = {cell: name for cell, name in cells.items() if name != LIBRARY}
        for collective in sorted({cell.collective for cell in ours}):
            chosen = _by_size(ours, collective)
            if collective in one_rule:
                (name,) = set(chosen.values())
                of_it = [Range(name, 0, max(chosen), tuple(sorted(chosen)))]
            elif spans:
                of_it = spanned(_by_size(spans.get(placement, {}), collective), chosen)
            else:
                races = _by_size((raced or {}).get(placement, {}), collective)
                of_it = ranges((0,) if set(chosen) == {0} else sizes, chosen, races)
            found.append(Table(placement, collective, tuple(of_it), collective in one_rule))
    return found


def _by_size(cells: Mapping[Cell, Value], collective: str) -> dict[int, Value]:
    return {cell.bytes: value for cell, value in cells.items() if cell.collective == collective}


class AsProfile:
    """The runtime, with a profile."""

    def __init__(
        self,
        name: str,
        machine: str,
        library: str,
        preloaded: Path,
        kept: Profile | None,
        notes: Sequence[str],
    ) -> None:
        """`kept` has an earlier profile's settings, and rules for what is not tuned now."""
        self._name = name
        self._profile = Profile(format=PROFILE_FORMAT, machine=machine, library=library)
        self._preloaded = preloaded
        self._kept = kept or self._profile
        self._notes = notes

    def write(
        self, tables: Sequence[Table], folder: Path, proof: Sequence[Verdict], final: bool
    ) -> tuple[Path, list[Path]]:
        """Write the profile; the final one has what is kept of the earlier one, too."""
        rules = tuple(rule for table in tables for rule in _make_rules(table, proof))
        before = self._kept if final else self._profile
        profile = msgspec.structs.replace(
            self._profile,
            settings_gain=before.settings_gain,
            rule=tuple(sorted((*before.rule, *rules), key=_order)),
            setting=before.setting,
            effect=before.effect,
        )
        path = folder / f"{self._name}.toml"
        write_file(path, profile_text(profile, self._notes))
        if final:
            return path, [path]
        variables = {
            "LEADLINE": "on",
            "LD_PRELOAD": str(self._preloaded),
            "LEADLINE_PROFILE": str(path),
            # A program's communicator is served from its hundredth call on; here all calls are.
            "LEADLINE_PATIENCE": "1",
        }
        fragment = folder / f"{self._name}.sh"
        write_file(fragment, shell_text(variables))
        return fragment, [path, fragment]


def shell_text(variables: Mapping[str, str], notes: Sequence[str] = ()) -> str:
    """Return lines for a shell to source.

    >>> print(shell_text({"A": "1 2"}, ["why"]), end="")
    # why
    export A='1 2'
    """
    lines = [f"# {note}" for note in notes]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    return "".join(f"{line}\n" for line in lines)


def variables_file(folder: Path, name: str, variables: Mapping[str, str]) -> Path:
    """Write variables that are tried out to a file in the folder, and return it."""
    path = folder / f"{re.sub(r'[^A-Za-z0-9_.]', '-', name)}.sh"
    write_file(path, shell_text(variables, ["for a race alone: what is better is not known yet"]))
    return path


def _make_rules(table: Table, proof: Sequence[Verdict]) -> Iterator[Rule]:
    placement = table.placement
    of_table = {
        verdict.trial.bytes: verdict
        for verdict in proof
        if verdict.trial.collective == table.collective
        and (verdict.trial.nodes, verdict.trial.processes) == (placement.nodes, placement.processes)
    }
    for each in table.ranges:
        yield Rule(
            collective=table.collective,
            nodes=placement.nodes,
            processes=placement.processes,
            from_bytes=each.first,
            to_bytes=None if table.every_size or each.of == (0,) else each.last,
            algorithm=each.choice,
            measured=tuple(_measure_of(of_table[size]) for size in each.of if size in of_table),
        )


def _measure_of(verdict: Verdict) -> Measured:
    return Measured(verdict.trial.bytes, verdict.without_us, verdict.with_us, verdict.gain_low)


def _order(rule: Rule) -> tuple[object, ...]:
    return rule.collective, rule.nodes or 0, rule.processes or 0, rule.from_bytes
