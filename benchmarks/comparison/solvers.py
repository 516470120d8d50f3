"""The command `benchmarks/solvers`: the FEM-2D problem's solvers beside hypre's and PETSc's."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from comparison.ended import succeeded
from comparison.quiet import require_quiet
from comparison.started import start
from leadline.core.errors import UserError
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.model.placement import Placement
from leadline.site.mpi.discovery import find_installations

_PROGRAMS = Path(__file__).parent / "programs"
_TOLERANCE = "1e-8"
# u(1/2,1/2) of -div grad u = 1 with u = 0 on the boundary of the unit square.
_CENTRE = 0.073671353281
_BASE = "hypre PFMG-PCG"
_PATIENCE_S = 300


class Peer(msgspec.Struct, frozen=True):
    """Another library's solver: the program that calls it, and its arguments.

    `{intervals}` and `{tolerance}` in `arguments` stand for those of the problem.
    """

    name: str
    program: str
    arguments: tuple[str, ...]


_PETSC = ("-intervals", "{intervals}", "-ksp_rtol", "{tolerance}")
_SOR = ("-mg_levels_ksp_type", "richardson", "-mg_levels_pc_type", "sor")
PEERS = (
    Peer(_BASE, "hypre_pfmg", ("{intervals}", "{tolerance}", "1", "0")),
    Peer("hypre PFMG-PCG, its fastest", "hypre_pfmg", ("{intervals}", "{tolerance}", "1", "1")),
    Peer("PETSc CG, multigrid", "petsc_cg", (*_PETSC, "-pc_type", "mg", "-pc_mg_levels", "8")),
    Peer(
        "PETSc CG, multigrid with SOR",
        "petsc_cg",
        (*_PETSC, "-pc_type", "mg", "-pc_mg_levels", "8", *_SOR),
    ),
    Peer("PETSc CG, BoomerAMG", "petsc_cg", (*_PETSC, "-pc_type", "hypre")),
)
# What pkg-config, or the compiler itself, is to be told for each program.
_LIBRARIES = {
    "hypre_pfmg": ("libhypre-dev", ("-I/usr/include/hypre", "-lHYPRE", "-lm")),
    "petsc_cg": ("petsc-dev", None),
}


class Solve(msgspec.Struct, frozen=True):
    """One solve of the problem; times in seconds on the slowest process.

    `setup_s` is all that comes before the solve: matrix, hierarchy, preconditioner.
    """

    name: str
    processes: int
    setup_s: float
    solve_s: float
    iterations: int


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option("--level", type=click.IntRange(3, 9), default=7, show_default=True)
@click.option("--processes", default="1,2", show_default=True)
@click.option("--methods", default="csr,fused,multigrid", show_default=True)
@click.option("--mpi", default="openmpi-4", show_default=True, help="The one that Debian's use.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    rounds: int,
    level: int,
    processes: str,
    methods: str,
    mpi: str,
    anyway: bool,
    json_file: Path | None,
) -> None:
    """Solve -div grad u = 1 on (16 * 2^level - 1)^2 unknowns to 1e-8, each solver in turn.

    leadline's methods discretise with quadratic triangles, the peers with the five-point stencil on
    the same nodes; hypre and PETSc are Debian's (libhypre-dev, petsc-dev). Each round runs every
    solver once on each number of processes. Ctrl-C prints what is there so far.
    """
    if not anyway:
        require_quiet()
    installation = _installation(mpi)
    counts = [int(word) for word in processes.split(",")]
    solves: list[Solve] = []
    with tempfile.TemporaryDirectory(prefix="leadline-solvers-") as temporary:
        folder = Path(temporary)
        try:
            peers = list(_built(installation, folder))
            for number in range(rounds):
                for count in counts:
                    for peer in peers:
                        solves.append(_peer(peer, installation, folder, level, count))
                    solves += _own(methods, installation, folder, level, count)
                print(f"solvers: round {number + 1} of {rounds}", file=sys.stderr)
        except KeyboardInterrupt:
            print("solvers: interrupted", file=sys.stderr)
    if not solves:
        raise UserError("nothing was measured")
    for line in lines(solves):
        click.echo(line)
    if json_file:
        json_file.write_text(json.dumps({"format": 1, "solves": msgspec.to_builtins(solves)}))


def _installation(name: str) -> Installation:
    found = find_installations()
    for each in found:
        if each.name.startswith(name):
            return each
    raise UserError(f"no MPI {name!r}: there is {', '.join(each.name for each in found)}")


def _built(installation: Installation, folder: Path) -> Iterator[Peer]:
    """Build the peers' programs; those whose library is missing are left out with a line."""
    there = set()
    for program, (package, flags) in _LIBRARIES.items():
        libraries = _pkg_config("petsc") if flags is None else flags
        compiled = subprocess.run(
            [
                installation.mpicc or "mpicc",
                "-O2",
                str(_PROGRAMS / f"{program}.c"),
                *libraries,
                "-o",
                str(folder / program),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if compiled.returncode == 0:
            there.add(program)
        else:
            print(f"solvers: {program} is left out: install {package}", file=sys.stderr)
    yield from (peer for peer in PEERS if peer.program in there)


def _pkg_config(name: str) -> tuple[str, ...]:
    try:
        asked = ["pkg-config", "--cflags", "--libs", name]
        return tuple(subprocess.run(asked, capture_output=True, text=True).stdout.split())
    except OSError:
        return ()


def _peer(
    peer: Peer, installation: Installation, folder: Path, level: int, processes: int
) -> Solve:
    words = {"intervals": str(16 << level), "tolerance": _TOLERANCE}
    arguments = (word.format(**words) for word in peer.arguments)
    program = (str(folder / peer.program), *arguments)
    job = Job(program=program, placement=Placement(1, processes), folder=str(folder))
    said = _output(start_for(job, installation), peer.name)
    answer = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    error = abs(answer["centre"] - _CENTRE)
    if error > 1.0 / (16 << level) ** 2 or answer["residual"] > 1.01 * float(_TOLERANCE):
        raise UserError(f"{peer.name} is wrong: {answer}")
    return Solve(
        peer.name,
        processes,
        answer["assembly_s"] + answer["setup_s"],
        answer["solve_s"],
        answer["iterations"],
    )


def _own(
    methods: str, installation: Installation, folder: Path, level: int, processes: int
) -> Iterator[Solve]:
    """Measure leadline's own methods in one run, which verifies them."""
    argv = (
        *(sys.executable, "-m", "leadline", "run", "app/fem2d"),
        *("--level", str(level), "--method", methods, "--problem", "B"),
        *("--tolerance", _TOLERANCE, "--mpi", installation.name, "--place", f"1x{processes}"),
        *("--launches", "1", "--minimum", "1", "--maximum", "3", "--runs", str(folder), "--json"),
    )
    answer = json.loads(_output(Start(argv=argv), "leadline"))
    for point in answer["points"]:
        if point["series"] == "pcg":
            yield Solve(
                f"leadline {point['axes']['method']}",
                processes,
                point["metrics"]["assembly_s"],
                point["metrics"]["pcg_s"],
                round(point["metrics"]["iterations"]),
            )


def _output(start: Start, name: str) -> str:
    return succeeded(start.argv, {**os.environ, **start.environment}, name, _PATIENCE_S)


def lines(solves: Sequence[Solve]) -> list[str]:
    """Return the table: the median of the rounds, their range, and how many times faster.

    The factor is the median over rounds of the base's time over this one's in the same round, with
    the least and the most.
    """
    told = [
        f"{'solver':30}{'processes':>10}{'setup s':>9}{'solve s':>9}{'least to most':>18}"
        f"{'iterations':>11}  times faster than {_BASE}"
    ]
    for count in sorted({solve.processes for solve in solves}):
        own = [solve for solve in solves if solve.processes == count]
        base = [solve.solve_s for solve in own if solve.name == _BASE]
        for name in dict.fromkeys(solve.name for solve in own):
            rows = [solve for solve in own if solve.name == name]
            times = [row.solve_s for row in rows]
            factors = [one / other for one, other in zip(base, times, strict=False)]
            span = f"{min(times):.3f} to {max(times):.3f}"
            faster = (
                f"{statistics.median(factors):.2f} ({min(factors):.2f} to {max(factors):.2f})"
                if factors
                else "-"
            )
            told.append(
                f"{name:30}{count:>10}{statistics.median(row.setup_s for row in rows):>9.3f}"
                f"{statistics.median(times):>9.3f}{span:>18}{rows[0].iterations:>11}  {faster}"
            )
    return told


if __name__ == "__main__":
    start(command, "solvers")
