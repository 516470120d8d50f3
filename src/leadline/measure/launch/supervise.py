"""Running a launcher so that it is not disturbed, and leaving no process behind."""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.processes import stop_requests
from leadline.measure.launch.processes import Leftovers, ProcessTree, own_children, subreaper
from leadline.model.interference import Congestion
from leadline.model.job import Start
from leadline.model.run import Outcome
from leadline.site.processes import TAG

_GRACE_SECONDS = 2.0
# A program whose last word is out has this long to end.
_END_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1
# Loaded before it is needed: between fork and exec little is safe.
_LIBC = ctypes.CDLL(None)


class LaunchEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a launch ended; its folder holds what it measured.

    `returncode` is the launcher's, negative for the signal that ended it. The message of a
    `complete` outcome is empty unless the program had to be ended after its last word; that of a
    `failed` one only names the status, `explain.explain` knows more. `began` and `ended` are times
    in ISO 8601, `seconds` is wall time with the clearing up. `lost` are the hosts that did not
    answer any more. After a `final` one no launch can follow. One that was not `started` left
    nothing behind. `neighbour` is what a second job did.
    """

    outcome: Outcome
    returncode: int = 0
    began: str = ""
    ended: str = ""
    seconds: float = 0.0
    lost: tuple[str, ...] = ()
    started: bool = True
    final: bool = False
    neighbour: Congestion | None = None


def run_supervised(
    start: Start,
    *,
    stdout: Path,
    stderr: Path,
    tag: str,
    tick: Callable[[], bool],
    tick_seconds: float = 0.05,
    time_limit_s: float | None = None,
    stall_limit_s: float | None = None,
    finished: Callable[[], bool] = lambda: False,
) -> LaunchEnd:
    """Execute `start`, wait for its end, and end everything that it started.

    Output goes to the files `stdout` and `stderr`. `tick` is called every `tick_seconds`, between
    which leadline takes no time from the ranks, and once after the end; it returns True for news of
    the probe. A launch without any for `stall_limit_s` is ended, as is one that lasts longer than
    `time_limit_s`. `finished` tells whether the probe has said its last word: what still runs 5 s
    later, such as a library that hangs in MPI_Finalize, is ended, and the launch is complete. `tag`
    is unique to the launch. SIGINT, SIGTERM and SIGHUP end it `interrupted`. What `tick` raises is
    passed on. Raises `UserError` where the launcher cannot be executed.
    """
    began, began_s = now(), time.monotonic()
    environment = {**os.environ, **start.environment, TAG: tag}
    leftovers = Leftovers()
    with (
        stdout.open("wb") as output,
        stderr.open("wb") as errors,
        subreaper(),
        stop_requests() as requests,
    ):
        unrelated = own_children()
        try:
            launcher = subprocess.Popen(
                start.argv,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                preexec_fn=_end_with_leadline,
            )
        except OSError as error:
            raise UserError(
                f"{start.argv[0]} cannot be executed ({error.strerror}): "
                "`leadline mpi --fresh` looks again for what is on this machine"
            ) from error
        tree = ProcessTree(launcher.pid, tag, unrelated)
        try:
            outcome = _watch(
                launcher, requests, tick, tick_seconds, time_limit_s, stall_limit_s, finished
            ) or _by_status(Path(start.argv[0]).name, launcher.returncode)
        finally:
            unending = tree.end(_GRACE_SECONDS)
            launcher.poll()
            leftovers.clear(launcher.pid)
    tick()
    if unending:
        line = f"{outcome.message}; processes {sorted(unending)} could not be ended"
        outcome = Outcome(state=outcome.state, message=line.lstrip("; "))
    return LaunchEnd(
        outcome=outcome,
        returncode=-signal.SIGKILL if launcher.returncode is None else launcher.returncode,
        began=began,
        ended=now(),
        seconds=time.monotonic() - began_s,
    )


# How the message of a launch begins that was ended because it hangs.
STALLED = "nothing new came from the probe"


def now() -> str:
    """Return the time as a run folder notes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _end_with_leadline() -> None:
    """Have the kernel end this process with leadline: SIGTERM lets it take back remote ranks."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _watch(
    launcher: subprocess.Popen[bytes],
    requests: Sequence[signal.Signals],
    tick: Callable[[], bool],
    tick_seconds: float,
    time_limit_s: float | None,
    stall_limit_s: float | None,
    finished: Callable[[], bool],
) -> Outcome | None:
    """Return why the launch was ended; None where the launcher ended by itself."""
    began = last_news = time.monotonic()
    with _sleeper(launcher.pid) as sleep:
        while launcher.poll() is None and not requests:
            sleep(tick_seconds)
            news = tick()
            moment = time.monotonic()
            if news:
                last_news = moment
            if time_limit_s is not None and moment - began >= time_limit_s:
                return out_of_time(time_limit_s)
            if moment - last_news >= _END_SECONDS and finished():
                line = (
                    f"the MPI did not end within {_END_SECONDS:g} s of the last figure, so its "
                    "processes were ended; what was measured is complete"
                )
                return Outcome(state="complete", message=line)
            if stall_limit_s is not None and moment - last_news >= stall_limit_s:
                line = (
                    f"{STALLED} for {stall_limit_s:g} s: it hangs, or one point takes longer than "
                    "that"
                )
                return Outcome(state="timed out", message=line)
    return Outcome(state="interrupted", message=f"by {requests[0].name}") if requests else None


def out_of_time(limit_s: float) -> Outcome:
    """Return how a launch or a run ends that reaches its time limit."""
    return Outcome(state="timed out", message=f"the time limit of {limit_s:g} s was reached")


def _by_status(program: str, returncode: int) -> Outcome:
    if returncode == 0:
        return Outcome(state="complete")
    return Outcome(state="failed", message=describe_status(program, returncode))


def describe_status(program: str, returncode: int) -> str:
    """Return how `program` ended, in one line.

    >>> describe_status("mpiexec", -9)
    'mpiexec was killed by signal 9 (SIGKILL)'
    """
    if returncode >= 0:
        return f"{program} ended with status {returncode}"
    return f"{program} was killed by signal {-returncode} ({signal.Signals(-returncode).name})"


@contextlib.contextmanager
def _sleeper(pid: int) -> Iterator[Callable[[float], object]]:
    """Give a function that sleeps for some seconds, less where the process `pid` ends."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:  # Linux before 5.3: the end is noticed at the next tick
        yield time.sleep
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        yield lambda seconds: poll.poll(seconds * 1000)
    finally:
        os.close(descriptor)
