"""How each family of libraries is told which of its algorithms to take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from leadline.core.errors import UserError
from leadline.measure.knobs.collectives import offers
from leadline.model.installation import Installation
from leadline.tune.deployment import Table
from leadline.tune.export import Export, Settings, by_collective


class Intel:
    """One variable a collective; where no range fits, the library chooses.

    >>> from leadline.model.placement import Placement
    >>> from leadline.tune.ranges import Range
    >>> found = (Range("3", 0, 64, (8,)), Range("1", 65, 90, (80,)))
    >>> table = Table(Placement(1, 2), "bcast", found)
    >>> Intel().settings([table], None).variables
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


Tree = dict[str, Any]

# What it calls a message's size is one rank's data for these, that of all ranks for the others.
_AVERAGE = ("allreduce", "alltoall", "bcast", "reduce")
_WITHIN = "comm_type=intra"
# What a call must be like for an algorithm that is fast; any other call is left as it was.
_REDUCTION = ("is_commutative=yes", "is_op_built_in=yes", "count=any")
_CONDITIONS = {
    "allreduce": _REDUCTION,
    "alltoall": ("is_sendbuf_inplace=no",),
    "reduce": _REDUCTION,
    "reduce_scatter": ("is_commutative=yes",),
    "reduce_scatter_block": ("is_commutative=yes",),
}
_OTHERWISE = {
    "is_commutative=yes": "is_commutative=no",
    "is_op_built_in=yes": "is_op_built_in=no",
    "is_sendbuf_inplace=no": "is_sendbuf_inplace=yes",
    "count=any": "count<pow2",
    "comm_size=pow2": "comm_size=any",
}
_FOR_POWERS_OF_TWO = {"allgather": ("recursive_doubling",)}
# Left to its own selection, which is not known to tell sizes of these apart.
_LEFT = ("exscan", "scan")
# Made for calls of a kind that tuning does not measure.
_SPECIAL = ("noncommutative", "pairwise_sendrecv_replace", "smp")


class Mpich:
    """Its algorithms with the parameters that its own selection gives them.

    The device's own collectives, which come before the selection, are left out of what is chosen.
    """

    family = "mpich"
    suffix = ".json"

    def offered(self, collective: str, installation: Installation) -> tuple[str, ...]:
        """Return those of its algorithms that its own selection takes somewhere."""
        if collective in _LEFT:
            return ()
        used = _leaves(_selection(installation).get(f"collective={collective}", {}), collective)
        known = offers(self.family).get(collective, {}).get("offers", ())
        return tuple(name for name in known if name in used and name not in _SPECIAL)

    def settings(self, tables: Sequence[Table], installation: Installation) -> Settings:
        """Return the whole selection, and the variables that put it into force."""
        selection = dict(_selection(installation))
        variables = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "{file}"}
        for collective, members in by_collective(tables).items():
            tree = selection[f"collective={collective}"]
            selection[f"collective={collective}"] = {**tree, _WITHIN: _with(members, tree[_WITHIN])}
            variables[f"MPIR_CVAR_{collective.upper()}_DEVICE_COLLECTIVE"] = "0"
        return Settings(json.dumps(selection, indent=1) + "\n", variables)


def _with(tables: Sequence[Table], default: Tree) -> Tree:
    """Return the decisions within a communicator: those of the tables before the `default` ones."""
    tree: Tree = {}
    for table in tables:
        size = table.placement.processes
        tree.setdefault(f"comm_size<{size}", default)
        here = _by_bytes(table, default)
        if table.placement.nodes == 1:
            here = {"comm_size=node_comm_size": here, "comm_size=any": default}
        tree[f"comm_size<={size}"] = here
    return {**tree, "comm_size=any": default}


def _by_bytes(table: Table, default: Tree) -> Tree:
    if table.ranges[0].of == (0,):
        return _guard(table.collective, table.ranges[0].choice, default)
    kind = "avg" if table.collective in _AVERAGE else "total"
    factor = 1 if kind == "avg" else table.placement.processes
    tree: Tree = {}
    begin = 0
    for each in table.ranges:
        if each.first > begin:
            tree[f"{kind}_msg_size<{each.first * factor}"] = default
        choice = _guard(table.collective, each.choice, default)
        tree[f"{kind}_msg_size<={each.last * factor}"] = choice
        begin = each.last + 1
    return {**tree, f"{kind}_msg_size=any": default}


def _guard(collective: str, algorithm: str, default: Tree) -> Tree:
    """Return the algorithm for calls that it is made for, and `default` for others."""
    tree = _leaves(default, collective)[algorithm]
    conditions = _CONDITIONS.get(collective, ())
    if algorithm in _FOR_POWERS_OF_TWO.get(collective, ()):
        conditions = (*conditions, "comm_size=pow2")
    for condition in reversed(conditions):
        # A condition that anything meets comes last.
        both = {condition: tree, _OTHERWISE[condition]: default}
        tree = dict(sorted(both.items(), key=lambda item: item[0].endswith("=any")))
    return tree


def _leaves(tree: Tree, collective: str) -> dict[str, Tree]:
    """Return each algorithm in the tree by name, as the tree has it: with its parameters."""
    beginning = f"algorithm=MPIR_{collective.capitalize()}_intra_"
    return {
        key.removeprefix(beginning): {key: value}
        for key, value in _items(tree)
        if key.startswith(beginning)
    }


def _items(tree: Tree) -> Iterator[tuple[str, Tree]]:
    for key, value in tree.items():
        yield key, value
        yield from _items(value)


def _selection(installation: Installation) -> Tree:
    for path in sorted(Path(installation.prefix).glob("lib*/**/libmpi*.so*")):
        if path.is_file() and (found := _read(path)):
            return found
    raise UserError(
        f"the library of {installation.name} has no table of algorithms by size, which an export "
        "changes: `leadline exec` replaces collectives without one"
    )


@cache
def _read(library: Path) -> Tree | None:
    """Return the selection that the library was built with."""
    for found in re.finditer(rb'\{"collective=[^\0]+', library.read_bytes()):
        if b"algorithm=MPIR_Bcast_intra_" in found[0]:
            try:
                tree: Tree = json.loads(found[0])
            except ValueError:
                continue
            return tree
    return None


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


EXPORTS: tuple[Export, ...] = (Intel(), Mpich(), OpenMpi())


def export_for(installation: Installation) -> Export:
    """Return the export of the installation's family. Raises `UserError` where there is none."""
    for export in EXPORTS:
        if export.family == installation.family:
            return export
    raise UserError(
        f"leadline has no settings that choose the algorithms of {installation.name}: it has them "
        f"for {', '.join(sorted(export.family for export in EXPORTS))}; `leadline exec` replaces "
        "collectives under any MPI"
    )
