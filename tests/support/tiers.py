"""Tiers of tests: the folder says which one a test is in, and `unit` may start no process.

`unit` is what each commit goes through. `system` starts compilers, one MPI, a browser and
leadline's own command. `full` needs what not every machine has, or asks for every MPI and every
number of ranks; a test in `system` is `full` where it, or its parameter, is marked so.
"""

import sys
from pathlib import Path

import pytest
from checkout import TESTS

TIERS = ("unit", "system", "full")
# What starts a process, by the names of CPython's audit events.
STARTS = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "pty.spawn",
        "subprocess.Popen",
    }
)
# The first of them is the one MPI of `system`.
FAMILIES = ("mpich", pytest.param("openmpi", marks=pytest.mark.full))


def tier_of(path: Path) -> str:
    """Return the tier of a file of tests, by the folder that it lies in."""
    folder = path.relative_to(TESTS).parts[0]
    if folder not in TIERS:
        raise pytest.UsageError(f"{path} is in no tier: move it to tests/{{{','.join(TIERS)}}}")
    return folder


class Watch:
    """What fails a test that starts a process, while it watches."""

    def __init__(self) -> None:
        self._watched = ""
        self._started: list[str] = []
        sys.addaudithook(self._audit)

    def begin(self, name: str) -> None:
        """Watch the test or file of this name."""
        self._watched, self._started = name, []

    def end(self) -> None:
        """Watch no more."""
        self._watched, self._started = "", []

    def prove_none_started(self) -> None:
        """Fail where a process was started since `begin` and whoever did it hid the failure."""
        if self._started:
            pytest.fail(self._started[0], pytrace=False)

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._watched and event in STARTS:
            words = arguments[1] if event == "subprocess.Popen" else arguments[:1]
            line = (
                f"{self._watched} starts a process ({event} {str(words)[:120]}), which no test in "
                "tests/unit may: move it to tests/system"
            )
            self._started.append(line)
            pytest.fail(line)
