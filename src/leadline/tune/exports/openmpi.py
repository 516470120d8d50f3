"""Open MPI's dynamic rules: a file of numbers that the component `tuned` of 4 and 5 reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.measure.knobs.known.collective_algorithm import offers
from leadline.model.installation import Installation
from leadline.tune.deployment import Table
from leadline.tune.export import Settings, by_collective

# Its numbers of collectives that can be tuned here.
_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "bcast": 7,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter_block": 13,
    "scatter": 15,
}
# Its size of a message is that of all ranks' data together.
_TIMES_PROCESSES = ("allgather", "alltoall", "gather", "reduce_scatter_block", "scatter")
# Algorithm 0 is its own decision.
_ITS_OWN = 0


class OpenMpi:
    """Rules by size of communicator and message; each holds up to the next one."""

    family = "openmpi"
    suffix = ".rules"

    def offered(self, collective: str, installation: Installation) -> tuple[str, ...]:
        """Return the names that its control variables have."""
        if collective not in _NUMBERS:
            return ()
        return tuple(offers(self.family).get(collective, {}).get("offers", ()))

    def settings(self, tables: Sequence[Table], installation: Installation) -> Settings:
        """Return the file and the variables that lead to it."""
        collectives = by_collective(tables)
        lines = [f"{len(collectives)} # collectives"]
        for collective, members in collectives.items():
            lines += self._collective(collective, members)
        variables = {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_dynamic_rules_filename": "{file}",
        }
        return Settings("\n".join(lines) + "\n", variables)

    def _collective(self, collective: str, tables: Sequence[Table]) -> Iterator[str]:
        sizes = [table.placement.processes for table in tables]
        # A rule holds for larger communicators too, up to the next one: one without sizes of
        # messages leaves them to the library.
        ends = [size + 1 for size in sizes if size + 1 not in sizes]
        yield f"{_NUMBERS[collective]} # {collective}"
        yield f"{len(sizes) + len(ends)} # sizes of communicators"
        by_size = dict(zip(sizes, tables, strict=True))
        for size in sorted([*sizes, *ends]):
            yield f"{size} # processes"
            rows = list(self._rows(collective, by_size[size])) if size in by_size else []
            yield f"{len(rows)} # sizes of messages: from bytes, algorithm, fan-out, segment"
            yield from rows

    def _rows(self, collective: str, table: Table) -> Iterator[str]:
        factor = table.placement.processes if collective in _TIMES_PROCESSES else 1
        names = offers(self.family)[collective]["offers"]
        begin = 0
        for each in table.ranges:
            if each.first * factor > begin or (begin == 0 < each.first):
                yield f"{begin} {_ITS_OWN} 0 0"
            yield f"{each.first * factor} {names.index(each.choice) + 1} 0 0"
            begin = each.last * factor + 1
        if table.ranges[-1].of != (0,):
            yield f"{begin} {_ITS_OWN} 0 0"


EXPORT = OpenMpi()
