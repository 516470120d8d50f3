"""IMB-MPI1 of Intel's wheel: a fixed number of collectives of 8 B to 64 KiB, back to back."""

from pathlib import Path

from comparison.application import Application, Ended, LeftOut, Prepared
from comparison.imb import parse_tables
from comparison.preloaded import programs
from leadline.core.errors import UserError
from leadline.model.installation import Installation

_COLLECTIVES = ("Allreduce", "Bcast", "Allgather", "Alltoall", "Barrier")
_STEPS = 16
_OPTIONS = ("-npmin", "2", "-sync", "off", "-iter", "2000", "-iter_policy", "off", "-time", "60")


def prepare(installation: Installation, folder: Path) -> Prepared:
    """Return IMB on this MPI's library."""
    if installation.family == "openmpi":
        raise LeftOut("Intel's wheel has IMB for MPICH's interface alone")
    there = _program()
    said: list[str] = []
    for found in programs(("imb",), installation, (), 8, there, folder, said.append):
        words = (found.words[0], *_OPTIONS, "-msglog", f"3:{_STEPS}", *_COLLECTIVES)
        return Prepared(words, found.environment)
    raise LeftOut("IMB not found: `leadline mpi install intel` brings one")


def read(ended: Ended) -> float:
    """Return the time of the launch. IMB checks no data: each of its tables must be whole."""
    tables = parse_tables(ended.output, _COLLECTIVES, "t_avg[usec]", "t_max[usec]")
    for name, times in tables.items():
        if name != "Barrier" and 1 << _STEPS not in times:
            raise UserError(f"its table of {name} does not end with 64 KiB")
    return ended.wall_s


def _program() -> Path | None:
    """Return IMB-MPI1 where Intel MPI is installed; a benchmark of programs installs nothing."""
    from leadline.site.mpi.discovery import find_installations

    places = (Path(each.prefix) / "bin" / "IMB-MPI1" for each in find_installations())
    return next((each for each in places if each.is_file()), None)


APPLICATION = Application("imb", prepare, read)
