"""What an export to a library's own settings is, and how it is put into force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from leadline.model.installation import Installation
from leadline.model.tuning import Verdict
from leadline.tune.deployment import Table, shell_text
from leadline.tune.profile import write_file


class Settings(NamedTuple):
    """Text of a file that the library reads, empty where there is none, and its variables.

    `{file}` in a variable's value stands for the file's path.
    """

    text: str
    variables: dict[str, str]


class Export(Protocol):
    """How one family of libraries is told which of its algorithms to take."""

    @property
    def family(self) -> str:
        """The family, as installations name it: the name of the file."""

    @property
    def suffix(self) -> str:
        """What the name of its file ends in."""

    def offered(self, collective: str, installation: Installation) -> tuple[str, ...]:
        """Return the algorithms that can be chosen, as the knob `collective_algorithm` names them.

        None where the collective's cannot.
        """

    def settings(self, tables: Sequence[Table], installation: Installation) -> Settings:
        """Return what says so: everything that `tables` do not name stays the library's choice."""


class AsSettings:
    """The library's own settings, in a file of its own and one for a shell to source."""

    def __init__(
        self, export: Export, installation: Installation, name: str, notes: Sequence[str]
    ) -> None:
        self._export = export
        self._installation = installation
        self._name = name
        self._notes = notes

    def write(
        self, tables: Sequence[Table], folder: Path, proof: Sequence[Verdict], final: bool
    ) -> tuple[Path, list[Path]]:
        """Write both; nothing where nothing is better, so that no earlier file stays in force."""
        file = folder / f"{self._name}{self._export.suffix}"
        fragment = folder / f"{self._name}.sh"
        if not tables:
            for path in (file, fragment):
                path.unlink(missing_ok=True)
            return fragment, []
        tables = one_for_each_size(tables)
        settings = self._export.settings(tables, self._installation)
        variables = {n: text.replace("{file}", str(file)) for n, text in settings.variables.items()}
        write_file(fragment, shell_text(variables, [*self._notes, *_gains(tables, proof)]))
        if not settings.text:
            return fragment, [fragment]
        write_file(file, settings.text)
        return fragment, [file, fragment]


def one_for_each_size(tables: Sequence[Table]) -> list[Table]:
    """Return the tables without a second one for the same collective and number of processes.

    Libraries are told sizes of communicators, not how these lie on nodes: fewest nodes count.
    """
    found: dict[tuple[str, int], Table] = {}
    for table in sorted(tables, key=lambda each: each.placement):
        found.setdefault((table.collective, table.placement.processes), table)
    return list(found.values())


def by_collective(tables: Sequence[Table]) -> Mapping[str, list[Table]]:
    """Return the tables of each collective, the number of processes ascending."""
    found: dict[str, list[Table]] = {}
    for table in sorted(tables, key=lambda each: (each.collective, each.placement.processes)):
        found.setdefault(table.collective, []).append(table)
    return found


def _gains(tables: Sequence[Table], proof: Sequence[Verdict]) -> list[str]:
    there = {(each.collective, each.placement.processes) for each in tables}
    return [
        f"{v.trial.collective}, {v.trial.processes} processes, {v.trial.bytes} bytes: "
        f"{v.trial.choice}, {v.without_us:.3f} us -> {v.with_us:.3f} us, at least "
        f"{v.gain_low:.2f} times as fast"
        for v in proof
        if v.kept and (v.trial.collective, v.trial.processes) in there
    ]
