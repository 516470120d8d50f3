"""Tiers of tests: the folder says which a test is in, and what it may start.

`unit` is for each commit: it starts no process. `system` starts compilers, one MPI, a browser and
leadline's own command. `full` needs what not every machine has, or asks for every MPI and every
number of ranks.
"""

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
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
# The parameters that say with which MPI a test is made, and the value that `system` has.
FAMILY = ("mpi", "family", "transport", "runtime")
ONE_MPI = "mpich"
# Seconds of a test that starts no process, on a machine that is busy with other things.
BUDGET_S = 5.0


def tier_of(path: Path) -> str:
    """Return the tier of a file of tests, by the folder that it lies in."""
    folder = path.relative_to(TESTS).parts[0]
    if folder not in TIERS:
        raise pytest.UsageError(f"{path} lies in no tier: move it to one of {', '.join(TIERS)}")
    return folder


def tier_of_item(item: pytest.Item) -> str:
    """Return the tier of a test: in `system`, those with another MPI than the one are `full`."""
    tier = tier_of(item.path)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if tier == "system" and any(
        parameters.get(name, ONE_MPI) in ("openmpi", "intel", "mvapich") for name in FAMILY
    ):
        return "full"
    return tier


class Watch:
    """What lets no test in `unit` start a process."""

    def __init__(self) -> None:
        self._guarded = ""
        self._started: list[str] = []
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._guarded and event in STARTS:
            what = arguments[1] if event == "subprocess.Popen" else arguments[0] if arguments else ""
            line = (
                f"{self._guarded} starts a process ({event}: {str(what)[:120]}): a test in "
                "tests/unit starts none, move it to tests/system"
            )
            self._started.append(line)
            pytest.fail(line, pytrace=True)

    def begin(self, name: str) -> None:
        self._guarded, self._started = name, []

    def end(self) -> list[str]:
        """Return what was started since `begin`, even where the test has caught the failure."""
        self._guarded, started = "", self._started
        return started
