"""The functions in which processes are, by a debugger where one is installed. None is required."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence

from leadline.site.hardware.files import Files

# As long as this may take of the few seconds that an answer has.
_BUDGET_S = 1.0
_KINDLY_S = 0.3
_MOST = 16
_GDB = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(?!0x)([\w:~<>@.$]+)")
_EU_STACK = re.compile(r"^#\d+\s+0x[0-9a-f]+\s+(?:- \d+ )?(\S+)")
_PY_SPY = re.compile(r"^    (\S+) \(")


def stacks(pids: Iterable[int], python: Iterable[int] = ()) -> dict[int, tuple[str, ...]]:
    """Return the functions of the first thread of each process, the innermost first.

    Processes in `python` are asked by py-spy where it is installed. A debugger holds a process
    for a moment; those that take too long are left out.
    """
    pids, scripts = list(pids), {*python}
    running: dict[int, tuple[subprocess.Popen[str], re.Pattern[str]]] = {}
    stopped = {pid for pid in pids if _is_stopped(pid)}
    for pid in pids[:_MOST]:
        if words := command(pid, pid in scripts):
            running[pid] = (_start(words[0]), words[1])
    deadline = time.monotonic() + _BUDGET_S
    functions: dict[int, tuple[str, ...]] = {}
    for pid, (process, pattern) in running.items():
        try:
            output, _ = process.communicate(timeout=max(deadline - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            _end(process)
            # One that ends in the middle of attaching leaves its process stopped.
            if pid not in stopped:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)
            continue
        if stack := parse(output, pattern):
            functions[pid] = stack
    return functions


def tool() -> str:
    """Return the name of the debugger that is asked, empty where none is installed."""
    return next((name for name in ("eu-stack", "gdb") if shutil.which(name)), "")


def command(pid: int, is_python: bool) -> tuple[Sequence[str], re.Pattern[str]] | None:
    """Return the command that prints the stack of a process and the form of its lines, or None."""
    if is_python and shutil.which("py-spy"):
        return ("py-spy", "dump", "--pid", str(pid)), _PY_SPY
    if tool() == "eu-stack":
        return ("eu-stack", "-1", "-p", str(pid)), _EU_STACK
    if tool() == "gdb":
        options = ("-iex", "set debuginfod enabled off", "-iex", "set auto-solib-add on")
        return ("gdb", "-nx", "-batch", *options, "-p", str(pid), "-ex", "bt 24"), _GDB
    return None


def parse(output: str, pattern: re.Pattern[str] = _GDB) -> tuple[str, ...]:
    """Return the functions of the lines of a stack.

    >>> parse("#1  main () at a.c:3")
    ('main',)
    """
    found = (pattern.match(line) for line in output.splitlines())
    return tuple(match[1] for match in found if match and match[1] != "??")


def call_of(stack: Sequence[str]) -> tuple[str, str]:
    """Return the function of MPI or OpenSHMEM that a stack is in, and the one that called it.

    Both are empty in the program's own code.

    >>> call_of(("poll", "MPIDI_progress", "PMPI_Barrier", "solve", "main"))
    ('MPI_Barrier', 'solve')
    >>> call_of(("opal_progress", "pshmem_barrier_all", "solve", "main"))
    ('shmem_barrier_all', 'solve')
    """
    outermost = [place for place, name in enumerate(stack) if _public(name)]
    if not outermost:
        return "", ""
    place = outermost[-1]
    return _public(stack[place]), stack[place + 1] if place + 1 < len(stack) else ""


def _public(name: str) -> str:
    found = re.match(r"^P?(MPI_[A-Z]\w*)", name) or re.match(r"^p?(shmemx?_[a-z]\w*)", name)
    if found:
        return found[1]
    fortran = re.match(r"^p?mpi_([a-z]\w*?)_*(?:f08)?_*$", name)
    return f"MPI_{fortran[1].capitalize()}" if fortran else ""


def _end(process: "subprocess.Popen[str]") -> None:
    """End a debugger, kindly first, so that it may let its process go.

    What it wrote is not waited for: a child of it may hold the pipe.
    """
    process.terminate()
    try:
        process.wait(_KINDLY_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


def _is_stopped(pid: int) -> bool:
    return Files().table(f"/proc/{pid}/status").get("State", "")[:1] in ("T", "t")


def _start(words: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, errors="replace",
    )  # fmt: skip
