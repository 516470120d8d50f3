"""Launches in which nothing is wrong: different MPIs, ranks, bindings and threads."""

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from injected.checked import Launch, Started

_MOST_RANKS = 4


class Healthy(NamedTuple):
    """A launch. `true` are the kinds that are no false alarm in it: more ranks than cores."""

    name: str
    mpi: str
    launch: Launch
    true: frozenset[str] = frozenset()

    def alarms(self, found: Sequence[str]) -> tuple[str, ...]:
        """Return what was found and is not there."""
        return tuple(kind for kind in found if kind not in self.true)


def launches(programs: Mapping[str, Started]) -> list[Healthy]:
    """Return every launch, the MPIs in turn."""
    rows = itertools.zip_longest(*(_of(start) for start in programs.values()))
    return [launch for row in rows for launch in row if launch]


def _of(start: Started) -> Iterator[Healthy]:
    cores = len(os.sched_getaffinity(0))
    for ranks in range(1, _MOST_RANKS + 1):
        for binding, options in _bindings(start, ranks, cores).items():
            # Open MPI binds each of up to two ranks to one core by default.
            bound = binding == "bound" or (start.family == "openmpi" and not binding)
            for threads in (1, 2):
                if threads > 1 and (bound or ranks * threads > cores):
                    continue
                yield Healthy(
                    f"{ranks} ranks, {threads} threads each, {binding}",
                    start.label,
                    Launch(
                        start.command(*options, processes=ranks),
                        variables={"OMP_NUM_THREADS": str(threads)},
                    ),
                    frozenset({"oversubscribed"} if ranks > cores else ()),
                )


def _bindings(start: Started, ranks: int, cores: int) -> dict[str, tuple[str, ...]]:
    """Return the launcher's options for each binding that so many ranks can have."""
    crowded = ranks > cores
    if start.family == "openmpi":
        more = ("--map-by", ":OVERSUBSCRIBE") if crowded else ()
        bindings = {"free": (*more, "--bind-to", "none")}
        return bindings if crowded else {"": (), "bound": ("--bind-to", "core"), **bindings}
    if start.family == "intel":
        return {"": ()}
    return {"": ()} if crowded else {"": (), "bound": ("-bind-to", "core")}
