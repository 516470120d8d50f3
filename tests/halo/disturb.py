"""Run a command while one rank, or one core, is disturbed in a known way.

    python tests/halo/disturb.py --cause CAUSE [--mpi NAME] [option...] -- COMMAND...

CAUSE is one of

- ``delay``: rank RANK spins for MICROSECONDS at every EVERY-th call of the function CALL, on the
  SIDE before or after the library's part of it, as a program that does something else. Where:

  - ``--call MPI_Waitall --side after`` (the default): at the end of a call of ``mpi/halo``
    (pattern=at_once), inside RANK's timed region. That call of RANK is long; with
    ``--start back_to_back`` its next one begins late, and who waits for RANK has a late neighbour.
  - ``--call MPI_Irecv --side before --every 200`` (there are four in a call): at the beginning.
    All who wait for RANK are as late as RANK itself, in the same call.
  - ``--call MPI_Sendrecv --side after`` with ``leadline run --start barrier``: between the
    harness's barrier and the timed region. RANK begins late, and its own time is short.

- ``page_faults``: the same, in which RANK maps, touches and unmaps fresh pages for so long.
- ``preempt``: a process that is pinned to CORE works WORK_MS of every PERIOD_MS milliseconds.
- ``wrong_byte``: the last byte of each message that RANK sends with ``MPI_Isend`` is changed.
- ``none``: nothing; to compare with.

By hand, in a checkout::

    PYTHONPATH=src python tests/halo/disturb.py --mpi mpich-5.0.2 --cause delay -- \
        leadline run mpi/halo --mpi mpich-5.0.2 --bytes 4K --pattern at_once --launches 1 \
        --start back_to_back
    leadline runs query "select rank, repetition, seconds, begin_s, waited_s, page_faults, flags
        from samples where seconds > 4e-4 order by begin_s limit 20"

With the defaults `delay` and `page_faults` make 1 call in 50 of rank 1 some 500 us longer, the
latter with at least 100 page faults, and `preempt` takes the last core for 2 ms in every 20. The
library and the program are built in a temporary folder.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror")
LEADLINE = (sys.executable, "-m", "leadline")


def main() -> int:
    options, command = parse()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.cause == "none":
            return subprocess.run(command, check=False).returncode
        if options.cause == "preempt":
            with busy(folder, options):
                return subprocess.run(command, check=False).returncode
        settings = {
            name: str(getattr(options, name))
            for name in ("cause", "rank", "call", "side", "every", "microseconds")
        }
        variables = {f"LEADLINE_DISTURB_{name.upper()}": value for name, value in settings.items()}
        variables["LD_PRELOAD"] = str(preload_library(folder, options.mpi))
        return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode


def parse() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cause", required=True, choices=("delay", "page_faults", "preempt", "wrong_byte", "none")
    )
    parser.add_argument("--mpi", help="installation, as `leadline mpi` lists it (default: first)")
    parser.add_argument("--rank", type=int, default=1)
    parser.add_argument("--call", default="MPI_Waitall")
    parser.add_argument("--side", choices=("before", "after"), default="after")
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--microseconds", type=float, default=500)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--work-ms", type=float, default=2)
    parser.add_argument("--period-ms", type=float, default=20)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    return options, options.command


def busy(folder: Path, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    """Return the busy process, which ends with the block that it is the context of."""
    program = folder / "busy"
    subprocess.run(["c++", *FLAGS, HERE / "busy.cpp", "-o", program], check=True)
    words = (options.core, options.work_ms, options.period_ms)
    return Ended([program, *map(str, words)])


class Ended(subprocess.Popen[bytes]):
    def __exit__(self, *exception: object) -> None:
        self.kill()
        super().__exit__(*exception)


def preload_library(folder: Path, mpi: str | None) -> Path:
    """Build the library for one MPI, whose handles it needs when it is loaded."""
    said = subprocess.run([*LEADLINE, "mpi", "--json"], capture_output=True, check=True)
    there = {each["name"]: each for each in json.loads(said.stdout)["installations"]}
    if mpi is not None and mpi not in there:
        sys.exit(f"disturb: no MPI {mpi} here; there are {', '.join(there)}")
    chosen = there[mpi] if mpi else next(iter(there.values()))
    object_file, library = folder / "disturb.o", folder / "disturb.so"
    skip = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
    subprocess.run(
        [chosen["mpicxx"], *FLAGS, *skip, "-fPIC", "-c", HERE / "disturb.cpp", "-o", object_file],
        env={**os.environ, **chosen["environment"]},
        check=True,
    )
    # Open MPI's handles are addresses in its library.
    linked = [chosen["library"]] if chosen["family"] == "openmpi" else []
    subprocess.run(["c++", "-shared", object_file, *linked, "-o", library], check=True)
    return library


if __name__ == "__main__":
    sys.exit(main())
