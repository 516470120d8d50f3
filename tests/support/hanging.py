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

from checkout import TESTS

from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes

SOURCE = TESTS / "full/stuck/hangs.c"
LEADLINE = (sys.executable, "-m", "leadline")
# All that an answer may take.
MOST_S = 3.0


class Hanging:
    """A job that has begun to hang. `pids` are its ranks, `process` is its launcher's."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            [*map(str, command)], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.pids = {}
        self.said = []
        self._held = set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"rank (\d+) pid (\d+)", line):
                self.pids[int(found[1])] = int(found[2])

    def wait_for(self, ranks, seconds=2.0):
        """Wait until each rank has begun, and then for so long that it hangs."""
        deadline = time.monotonic() + 60
        while len(self.pids) < ranks:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)
        time.sleep(seconds)
        return self

    def signal(self, rank, number):
        os.kill(self.pids[rank], number)

    def signal_unnoticed(self, rank, number):
        """End a rank by a signal under a launcher that does not notice it: some never do."""
        table = {each.pid: each for each in processes(Files())}
        self._held = descendants(table, [self.process.pid]) - {*self.pids.values()}
        for pid in self._held:
            os.kill(pid, signal.SIGSTOP)
        self.signal(rank, number)
        time.sleep(1.0)

    def stuck(self, target=None, seconds=MOST_S):
        """Return status and answer of `leadline stuck`, which comes in time."""
        began = time.monotonic()
        words = [*LEADLINE, "stuck", "--json", str(target or self.process.pid)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        took = time.monotonic() - began
        assert done.returncode in (0, 1), done.stderr
        assert took < seconds, f"an answer after {took:.1f} s"
        return done.returncode, json.loads(done.stdout)

    def end(self):
        for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            for pid in {*self.pids.values(), self.process.pid, *self._held}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.5)
        self._reader.join(5)


def built(mpicc, folder):
    """Return the program that hangs, built with a compiler of MPI."""
    program = folder / "hangs"
    subprocess.run([mpicc, "-g", "-O1", SOURCE, "-o", program], check=True)
    return program
