"""The programs of the standing table: lines of `PROGRAMS`."""

import json
import sys
from pathlib import Path
from typing import Any

from comparison import hpcc, lammps
from comparison.application import (
    Application,
    Ended,
    LeftOut,
    Prepared,
    printed_object,
    python_prepared,
)
from comparison.imb import parse_tables
from comparison.preloaded import programs
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations

_TOLERANCE = "1e-8"


def own_prepared(benchmark: str, options: tuple[str, ...], installation: Installation) -> Prepared:
    """Return one launch of a benchmark on two ranks, which verifies its data."""
    words = (
        *(sys.executable, "-m", "leadline", "run", benchmark, *options),
        *("--mpi", installation.name, "--place", "1x2", "--knob", "runtime={runtime}"),
        *("--launches", "1", "--runs", "runs", "--anyway", "--json"),
    )
    return Prepared(words, starts_itself=True)


def own_point(output: str, series: str) -> dict[str, Any]:
    """Return the one point of a series. Raises `UserError` unless its data are right."""
    try:
        found = [each for each in json.loads(output)["points"] if each["series"] == series]
    except (ValueError, KeyError):
        raise UserError("it printed no result") from None
    if len(found) != 1:
        raise UserError(f"{len(found)} results of {series} instead of one")
    if found[0]["verified"] is not True:
        raise UserError(f"{series}: its data are wrong")
    return dict(found[0])


_FEM2D = ("--level", "6", "--method", "multigrid", "--tolerance", _TOLERANCE)


def _prepare_fem2d(installation: Installation, _folder: Path) -> Prepared:
    """Return leadline's command."""
    counts = ("--minimum", "5", "--maximum", "5")
    return own_prepared("app/fem2d", (*_FEM2D, *counts), installation)


def read_fem2d(ended: Ended) -> float:
    """Return the time of a solve. The residual is part of its result."""
    point = own_point(ended.output, "pcg")
    if not point["metrics"]["reduction"] <= float(_TOLERANCE):
        raise UserError(f"residual {point['metrics']['reduction']} instead of {_TOLERANCE}")
    return float(point["median_s"])


_TIMESTEP = ("--pattern", "neighbourhood", "--minimum", "100", "--maximum", "100")


def _prepare_timestep(installation: Installation, _folder: Path) -> Prepared:
    """Return leadline's command."""
    return own_prepared("app/timestep", _TIMESTEP, installation)


def read_timestep(ended: Ended) -> float:
    """Return the time of a step. The result is compared with that of one process."""
    return float(own_point(ended.output, "step")["median_s"])


def _prepare_cg(installation: Installation, _folder: Path) -> Prepared:
    """Return the program with the Python that has mpi4py."""
    return python_prepared("mpi4py_cg.py", ("256", _TOLERANCE), installation)


def read_cg(ended: Ended) -> float:
    """Return the time of the solve. Its residual is computed anew at the end."""
    said = printed_object(ended.output)
    if not said["residual"] <= 1.1 * float(_TOLERANCE):
        raise UserError(f"residual {said['residual']} instead of {_TOLERANCE}")
    return float(said["seconds"])


_IMB_COLLECTIVES = ("Allreduce", "Bcast", "Allgather", "Alltoall", "Barrier")
_IMB_STEPS = 16
_IMB_OPTIONS = (
    "-npmin",
    "2",
    "-sync",
    "off",
    "-iter",
    "2000",
    "-iter_policy",
    "off",
    "-time",
    "60",
)


def _prepare_imb(installation: Installation, folder: Path) -> Prepared:
    """Return IMB on this MPI's library."""
    if installation.family == "openmpi":
        raise LeftOut("Intel's wheel has IMB for MPICH's interface alone")
    there = _imb_program()
    said: list[str] = []
    for found in programs(("imb",), installation, (), 8, there, folder, said.append):
        words = (found.words[0], *_IMB_OPTIONS, "-msglog", f"3:{_IMB_STEPS}", *_IMB_COLLECTIVES)
        return Prepared(words, found.environment)
    raise LeftOut("IMB not found: `leadline mpi install intel` brings one")


def read_imb(ended: Ended) -> float:
    """Return the time of the launch. IMB checks no data: each of its tables must be whole."""
    tables = parse_tables(ended.output, _IMB_COLLECTIVES, "t_avg[usec]", "t_max[usec]")
    for name, times in tables.items():
        if name != "Barrier" and 1 << _IMB_STEPS not in times:
            raise UserError(f"its table of {name} does not end with 64 KiB")
    return ended.wall_s


def _imb_program() -> Path | None:
    """Return IMB-MPI1 where Intel MPI is installed; a benchmark of programs installs nothing."""
    places = (Path(each.prefix) / "bin" / "IMB-MPI1" for each in find_installations())
    return next((each for each in places if each.is_file()), None)


APPLICATIONS = {
    each.name: each
    for each in (
        Application("lammps", lammps.prepare, lammps.read),
        Application("hpcc", hpcc.prepare, hpcc.read),
        Application("mpi4py-cg", _prepare_cg, read_cg),
        Application("app-fem2d", _prepare_fem2d, read_fem2d),
        Application("app-timestep", _prepare_timestep, read_timestep),
        Application("imb", _prepare_imb, read_imb),
    )
}
