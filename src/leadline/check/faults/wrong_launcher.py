"""Ranks that do not find each other: each takes itself for rank 0 of 1."""

import re
from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation

GRAVITY = 1
_TITLES = {"openmpi": "Open MPI", "mpich": "MPICH", "intel": "Intel MPI"}
_PMI = {"openmpi": "pmix", "mpich": "pmi2", "intel": "pmi2"}


# What MPICH and Open MPI write when they end because they do not know the launcher's language.
_WORDS = re.compile(
    r"unsupported PMI version \S+(?<![.,])|direct launched using \S+|PMIx?2?_Init failed",
    re.IGNORECASE,
)


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of processes that were started together and have nothing to do with each other."""
    if (said := _WORDS.search(seen.output)) and seen.status:
        yield Fault(
            ranks=tuple(rank.rank for rank in seen.ranks),
            text="The program ends in MPI_Init: its MPI does not know this launcher.",
            evidence=(f'the program wrote "{said[0]}"',),
            fix=command.by(seen.mpiexec)
            if seen.mpiexec
            else "Start it with the launcher of its own MPI: `leadline software ./app` names that.",
        )
        return
    families = {rank.family for rank in seen.ranks}
    if len(seen.ranks) < 2 or len(families) != 1 or not seen.apart:
        return
    family = families.pop()
    launcher = command.launcher
    foreign = family not in launcher.families
    untold = not any(launcher.serves(rank.environment) for rank in seen.ranks)
    if not family or not (foreign or untold):
        return
    library = seen.ranks[0].mpi[0].path
    count = len(seen.ranks)
    failed = bool(seen.status)
    consequence = "they fail." if failed else "each runs alone, as rank 0 of 1."
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text=f"{launcher.title} starts {count} ranks of {_TITLES[family]}: {consequence}"
        if foreign
        else f"{launcher.title} does not tell the {count} ranks of each other: {consequence}",
        evidence=(f"the ranks load {library}", "no two of them share memory or a connection"),
        fix=_fix(seen, command, family),
    )


def _fix(seen: Observation, command: Command, family: str) -> str:
    if command.launcher.name == "srun":
        return command.with_options(f"--mpi={_PMI[family]}")
    return command.by(seen.mpiexec or f"mpiexec of {_TITLES[family]}")
