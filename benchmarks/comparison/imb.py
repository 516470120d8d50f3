"""IMB-MPI1 of the Intel MPI wheels, run on MPICH: found, started, read."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from comparison.cases import Contender
from comparison.tool import Reading
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.job import Start

_PROGRAM = "IMB-MPI1"
_LIBRARY = "libmpi.so.12"


def find_program(given: Path | None, say: Callable[[str], None]) -> Path:
    """Return IMB-MPI1: the one given, or the one of Intel MPI, installed where it is missing.

    Raises `UserError` where there is none and none can be installed.
    """
    if given:
        if not os.access(given, os.X_OK):
            raise UserError(f"--imb {given} cannot be executed: name the program {_PROGRAM}")
        return given.absolute()
    from leadline.site.mpi.discovery import find_installations
    from leadline.site.mpi.install import install

    for each in find_installations():
        if os.access(program := Path(each.prefix) / "bin" / _PROGRAM, os.X_OK):
            return program
    program = Path(install("intel", say).prefix) / "bin" / _PROGRAM
    if not program.is_file():
        raise UserError(f"the Intel MPI wheels brought no {_PROGRAM}: name one with --imb PATH")
    return program


class Imb:
    """IMB-MPI1 on two ranks of `installation`, an MPICH."""

    def __init__(self, program: Path, installation: Installation) -> None:
        self._program = program
        self._mpiexec = installation.mpiexec or "mpiexec"
        self._library_folder = Path(installation.prefix) / "lib"

    def check_library(self) -> None:
        """Make sure that the program loads the MPICH under test.

        Raises `UserError` where it would load another MPI or none.
        """
        wanted = self._library_folder / _LIBRARY
        listed = subprocess.run(
            ["ldd", str(self._program)],
            env={**os.environ, **self._environment()},
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        loaded = [line.split()[2] for line in listed.splitlines() if f"{_LIBRARY} =>" in line]
        if not any(Path(path).exists() and Path(path).samefile(wanted) for path in loaded):
            raise UserError(
                f"{self._program} loads {loaded[0] if loaded else 'no'} MPI library instead of "
                f"{wanted}: install the MPICH wheel beside leadline (make survey does)"
            )

    def start(self, contender: Contender, sizes: tuple[int, ...]) -> Start:
        """Return what to execute: pinning is the same option that leadline gives mpiexec."""
        return Start(
            argv=(
                self._mpiexec,
                *(("-bind-to", "core") if contender.pinned else ()),
                "-n",
                "2",
                str(self._program),
                *(("-msgsize", ",".join(map(str, sizes))) if sizes else ()),
                *contender.arguments,
            ),
            environment=self._environment(),
        )

    def read(self, output: str, contender: Contender, sizes: tuple[int, ...]) -> Reading:
        """Return the figures that IMB printed."""
        seconds = parse_table(output, contender.arguments[-1], contender.column)
        if missing := set(sizes) - set(seconds):
            raise UserError(f"IMB printed no figure for {sorted(missing)} bytes")
        return Reading(seconds=seconds)

    def _environment(self) -> dict[str, str]:
        return {"LD_LIBRARY_PATH": str(self._library_folder)}


def parse_table(output: str, benchmark: str, column: str, processes: int = 2) -> dict[int, float]:
    """Return the times in seconds of a `column` in microseconds, by size in bytes.

    `output` must hold exactly one table of `benchmark`, on that many processes. Raises
    `UserError` for anything else, such as a size that IMB left out for want of memory.
    """
    lines = [line.strip() for line in output.splitlines()]
    titles = [number for number, line in enumerate(lines) if line == f"# Benchmarking {benchmark}"]
    if len(titles) != 1:
        raise UserError(f"IMB printed {len(titles)} tables of {benchmark} instead of one")
    count, _rule, heading, *rows = [*lines[titles[0] + 1 :], "", "", ""]
    if count != f"# #processes = {processes}":
        raise UserError(f"IMB ran {benchmark} with {count!r} instead of {processes} processes")
    names = heading.split()
    if "#bytes" not in names or column not in names:
        raise UserError(f"IMB's table of {benchmark} has the columns {names}, not {column!r}")
    table = rows[: rows.index("")] if "" in rows else rows
    seconds = dict(_figure(row, names, column) for row in table)
    if not seconds or len(seconds) != len(table):
        raise UserError(f"IMB's table of {benchmark} has {len(table)} rows: one a size is right")
    return seconds


def parse_tables(
    output: str, benchmarks: Sequence[str], *columns: str
) -> dict[str, dict[int, float]]:
    """Return the table of each benchmark by its name, as `parse_table` reads it.

    Of `columns` the first that a table has is taken. A benchmark of no bytes, such as Barrier, has
    one row, and its size is 0.
    """
    tables = {}
    for name in benchmarks:
        title = f"# Benchmarking {name}"
        lines = output.splitlines()
        heading = [at for at, line in enumerate(lines) if line.strip() == title]
        if len(heading) == 1 and len(lines) > heading[0] + 3:
            names = lines[heading[0] + 3].split()
            column = next((each for each in columns if each in names), columns[0])
            if "#bytes" not in names:
                lines[heading[0] + 3] = f"#bytes {lines[heading[0] + 3]}"
                lines[heading[0] + 4] = f"0 {lines[heading[0] + 4]}"
        else:
            column = columns[0]
        tables[name] = parse_table("\n".join(lines), name, column)
    return tables


def _figure(row: str, names: list[str], column: str) -> tuple[int, float]:
    try:
        cells = dict(zip(names, row.split(), strict=True))
        size, microseconds = int(cells["#bytes"]), float(cells[column])
    except ValueError:
        raise UserError(f"IMB printed {row!r}, which is no row of {' '.join(names)}") from None
    if not 0 <= microseconds < float("inf"):
        raise UserError(f"IMB printed {row!r}: {column} is no time")
    return size, microseconds * 1e-6
