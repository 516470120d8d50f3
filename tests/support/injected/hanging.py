"""Programs that hang, and what `leadline stuck` says of them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes

_SOURCE = Path(__file__).parent / "programs" / "hangs.c"
LEADLINE = (sys.executable, "-m", "leadline")
# The first program may wait for the library that sees its calls to be built.
_PATIENCE_S = 600.0
_AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT")


class Hanging:
    """A job that has begun to hang. `pids` are its ranks, `process` is its launcher's."""

    def __init__(self, command: Sequence[object], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [*map(str, command)], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.pids: dict[int, int] = {}
        self.said: list[str] = []
        self._held: set[int] = set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"rank (\d+) pid (\d+)", line):
                self.pids[int(found[1])] = int(found[2])

    def wait_for(self, ranks: int, seconds: float = 2.0) -> "Hanging":
        """Wait until each rank has begun, and then for so long that it hangs.

        Raises `UserError` where it ends before, or does not begin.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while len(self.pids) < ranks:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise UserError(f"a program that hangs did not begin: {''.join(self.said)[-500:]}")
            time.sleep(0.05)
        time.sleep(seconds)
        return self

    def signal(self, rank: int, number: int) -> None:
        """Send a rank a signal."""
        os.kill(self.pids[rank], number)

    def signal_unnoticed(self, rank: int, number: int) -> None:
        """End a rank by a signal under a launcher that does not notice it: some never do."""
        table = {each.pid: each for each in processes(Files())}
        self._held = descendants(table, [self.process.pid]) - {*self.pids.values()}
        for pid in self._held:
            os.kill(pid, signal.SIGSTOP)
        self.signal(rank, number)
        time.sleep(1.0)

    def stuck(self, target: int | None = None) -> tuple[int, dict[str, Any]]:
        """Return status and answer of `leadline stuck`."""
        words = [*LEADLINE, "stuck", "--json", str(target or self.process.pid)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 2), done.stderr
        return done.returncode, json.loads(done.stdout)

    def end(self) -> None:
        """End all processes of the job."""
        for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            for pid in {*self.pids.values(), self.process.pid, *self._held}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.5)
        self._reader.join(5)


def begun(
    installation: Installation, program: Path, way: str, ranks: int = 2, explained: bool = True,
    options: Sequence[str] = (),
) -> Hanging:  # fmt: skip
    """Start a program that hangs in a way, under `leadline explain` or by itself."""
    more = ("--oversubscribe",) if installation.family == "openmpi" else ()
    before = (*LEADLINE, "explain", *options, "--") if explained else ()
    launched = (installation.mpiexec, *more, "-n", ranks, program, way)
    as_root = {name: "1" for each in _AS_ROOT for name in (each, f"{each}_CONFIRM")}
    return Hanging((*before, *launched), {**installation.environment, **as_root})


def built(mpicc: str, folder: Path) -> Path:
    """Return the program that hangs, built with a compiler of MPI."""
    program = folder / "hangs"
    words = [mpicc, "-g", "-O1", "-w", str(_SOURCE), "-o", str(program), "-lpthread"]
    subprocess.run(words, check=True)
    return program
