"""Intel MPI's variables I_MPI_ADJUST_..., with ranges of sizes and numbers of processes."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.measure.knobs.known.collective_algorithm import offers
from leadline.model.installation import Installation
from leadline.tune.deployment import Table
from leadline.tune.export import Settings, by_collective


class Intel:
    """One variable a collective; where no range fits, the library chooses.

    >>> from leadline.model.placement import Placement
    >>> from leadline.tune.ranges import Range
    >>> found = (Range("3", 0, 64, (8,)), Range("1", 65, 90, (80,)))
    >>> table = Table(Placement(1, 2), "bcast", found)
    >>> EXPORT.settings([table], None).variables
    {'I_MPI_ADJUST_BCAST': '3:0-64@2-2;1:65-90@2-2'}
    """

    family = "intel"
    suffix = ".txt"

    def offered(self, collective: str, installation: Installation) -> tuple[str, ...]:
        """Return its numbers."""
        last = offers(self.family).get(collective, {}).get("numbers", 0)
        return tuple(str(number) for number in range(1, last + 1))

    def settings(self, tables: Sequence[Table], installation: Installation | None) -> Settings:
        """Return the variables."""
        variables = {}
        for collective, members in by_collective(tables).items():
            conditions = []
            for table in members:
                size = table.placement.processes
                for each in table.ranges:
                    sizes = f"{each.first}-{each.last}" if each.of != (0,) else "0-0"
                    conditions.append(f"{each.choice}:{sizes}@{size}-{size}")
            variables[f"I_MPI_ADJUST_{collective.upper()}"] = ";".join(conditions)
        return Settings("", variables)


EXPORT = Intel()
