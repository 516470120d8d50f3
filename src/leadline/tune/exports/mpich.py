"""MPICH's selection of collective algorithms, as JSON that replaces the one it was built with.

The file must hold a decision for everything. So the library's own selection, which is a text within
the library, is read from there and gets the new decisions before its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from leadline.core.errors import UserError
from leadline.measure.knobs.known.collective_algorithm import offers
from leadline.model.installation import Installation
from leadline.tune.deployment import Table
from leadline.tune.export import Settings, by_collective

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
            own = selection[f"collective={collective}"]
            selection[f"collective={collective}"] = {**own, _WITHIN: _with(members, own[_WITHIN])}
            variables[f"MPIR_CVAR_{collective.upper()}_DEVICE_COLLECTIVE"] = "0"
        return Settings(json.dumps(selection, indent=1) + "\n", variables)


def _with(tables: Sequence[Table], own: Tree) -> Tree:
    """Return `own` decisions within a communicator, with those of the tables before them."""
    tree: Tree = {}
    for table in tables:
        size = table.placement.processes
        tree.setdefault(f"comm_size<{size}", own)
        here = _by_bytes(table, own)
        if table.placement.nodes == 1:
            here = {"comm_size=node_comm_size": here, "comm_size=any": own}
        tree[f"comm_size<={size}"] = here
    return {**tree, "comm_size=any": own}


def _by_bytes(table: Table, own: Tree) -> Tree:
    if table.ranges[0].of == (0,):
        return _guard(table.collective, table.ranges[0].choice, own)
    kind = "avg" if table.collective in _AVERAGE else "total"
    factor = 1 if kind == "avg" else table.placement.processes
    tree: Tree = {}
    begin = 0
    for each in table.ranges:
        if each.first > begin:
            tree[f"{kind}_msg_size<{each.first * factor}"] = own
        choice = _guard(table.collective, each.choice, own)
        tree[f"{kind}_msg_size<={each.last * factor}"] = choice
        begin = each.last + 1
    return {**tree, f"{kind}_msg_size=any": own}


def _guard(collective: str, algorithm: str, own: Tree) -> Tree:
    """Return the algorithm for calls that it is made for, and `own` for others."""
    tree = _leaves(own, collective)[algorithm]
    conditions = _CONDITIONS.get(collective, ())
    if algorithm in _FOR_POWERS_OF_TWO.get(collective, ()):
        conditions = (*conditions, "comm_size=pow2")
    for condition in reversed(conditions):
        # A condition that anything meets comes last.
        both = {condition: tree, _OTHERWISE[condition]: own}
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


EXPORT = Mpich()
