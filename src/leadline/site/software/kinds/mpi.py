"""MPI: the installations that `leadline mpi` lists."""

import re
from collections.abc import Iterator
from pathlib import Path

from leadline.model.installation import Installation
from leadline.model.software import Item
from leadline.site.mpi.candidate import lasting
from leadline.site.software.host import Host

_PROGRAM = re.compile(r"(mpi|osh)[\w+]+([.-][\w-]+)?")
_PROGRAMS = ("mpicc", "mpicxx", "mpiexec", "mpirun")


class Mpi:
    """The default of a word is the installation whose program the shell starts."""

    name = "MPI"
    order = 20

    def find(self, here: Host) -> Iterator[Item]:
        """Yield the installations, with the words for which each is the default."""
        found = here.installations
        words = programs_of(here, found, _PROGRAMS)
        chosen = here.chosen_installation
        for each in found:
            default = {"leadline": "`leadline mpi default`"} if each.name == chosen else {}
            yield Item(
                kind=self.name,
                name=each.family,
                version=each.version,
                path=each.mpicc or each.prefix,
                detail={
                    "called": each.name,
                    "found in": each.source,
                    **{name: each.built[name] for name in ("network",) if name in each.built},
                },
                default_for={**default, **words.get(each.name, {})},
            )


def programs_of(
    here: Host, installations: list[Installation], names: tuple[str, ...]
) -> dict[str, dict[str, str]]:
    """Return the words that mean each installation, by its name, and why."""
    programs = {
        key: each.name
        for each in reversed(installations)
        for program in (each.mpicc, each.mpicxx, each.mpiexec, each.oshcc, each.oshrun)
        if program
        for key in _keys(Path(program))
    }
    words: dict[str, dict[str, str]] = {}
    for name in names:
        started = here.which(name)
        keys = _keys(started) if started else ()
        owner = next((programs[key] for key in keys if key in programs), None)
        if started and owner:
            words.setdefault(owner, {})[name] = here.why(started)
    return words


def _keys(program: Path) -> tuple[tuple[Path, str], ...]:
    """Return what programs of one installation share: the folder and the suffix of their names.

    The program itself comes first, since in a folder without suffixes there may be several MPIs.
    Links are followed to the last such name: all may lead on to one program that serves all names.
    """
    last = lasting(program, _PROGRAM)
    return (last.parent, last.name), (last.parent, last.suffix)


KIND = Mpi()
