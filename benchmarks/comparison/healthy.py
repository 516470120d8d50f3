"""Launches in which nothing is wrong: different MPIs, ranks, bindings, threads and languages."""

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from comparison.application import LeftOut
from comparison.checked import Launch, Started
from comparison.mpi4py_programs import prepared
from leadline.model.installation import Installation

_MOST_RANKS = 4
_PYTHON = "mpi4py_exchange.py"


class Healthy(NamedTuple):
    """A launch. `true` are the kinds that are no false alarm in it: more ranks than cores."""

    name: str
    mpi: str
    launch: Launch
    true: frozenset[str] = frozenset()

    def alarms(self, found: Sequence[str]) -> tuple[str, ...]:
        """Return what was found and is not there."""
        return tuple(kind for kind in found if kind not in self.true)


def launches(
    programs: Mapping[str, Started], installed: Mapping[str, Installation], count: int
) -> list[Healthy]:
    """Return so many launches, the MPIs in turn, as often again as it takes."""
    each = [list(_of(start, installed[label])) for label, start in programs.items()]
    once = [one for row in itertools.zip_longest(*each) for one in row if one]
    return list(itertools.islice(itertools.cycle(once), count)) if once else []


def _of(start: Started, installation: Installation) -> Iterator[Healthy]:
    cores = len(os.sched_getaffinity(0))
    languages = {"C": Launch(start.program)}
    try:
        python = prepared(_PYTHON, start.program[-1:], installation)
        languages["Python"] = Launch(python.words, (), python.environment)
    except LeftOut:
        pass
    for ranks in range(1, _MOST_RANKS + 1):
        for language, program in languages.items():
            for binding, options in _bindings(start, ranks, cores).items():
                for threads in (1, 2):
                    # Open MPI binds each of up to two ranks to one core by default.
                    bound = binding == "bound" or (start.family == "openmpi" and not binding)
                    if threads > 1 and (language == "Python" or bound):
                        continue
                    if threads > 1 and ranks * threads > cores:
                        continue
                    number = ("-n", str(ranks), *program.command)
                    yield Healthy(
                        f"{language}, {ranks} ranks, {threads} threads each, {binding}",
                        start.label,
                        Launch(
                            (start.mpiexec, *options, *number),
                            (),
                            {**program.variables, "OMP_NUM_THREADS": str(threads)},
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
