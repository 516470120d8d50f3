"""Watches a program while it runs, and reports each hang once, and a killed rank within seconds."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.stuck.glance import Children, Glances
from leadline.stuck.hang import Hang
from leadline.stuck.job import PHASE_S, Job
from leadline.stuck.report import StuckJob, report
from leadline.stuck.watch import watch

# What this may not tell: a rank that computes moves, and one of another host may compute.
_MOVING = ("endless_loop", "elsewhere")
# What may go on by itself has longer: who gives the input, or much data for all, may be slow.
_LONGER_S = {"waits_for_input": PHASE_S, "inside_library": 10 * PHASE_S}
_DEAD = "dead"
# Between two glances; a rank that is gone is looked for once more, sooner.
_LEAST_PAUSE_S, _SOON_S, _PAUSE_S = 0.5, 1.0, 2.0
# Pages of other hosts come through a file system: NFS writes them after half a minute, and shows
# them after another one.
_ELSEWHERE_S = 120.0
# Where a look finds nothing in a job that stands, before the next one at least.
_AGAIN_S = 5.0
# A look is over in a second; addr2line may take longer, for the lines of its calls.
_END_S = 6.0


class Standstill:
    """How long no rank has moved, as far as that was watched, and whether that was told.

    It is asked for the reason after `limit_s`, and not before `least_s`.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s, self.least_s = limit_s, 0.0
        self.goes_on()

    def goes_on(self) -> None:
        """Note that a rank has moved."""
        self.seconds, self.is_told, self._ask_at = 0.0, False, self.limit_s

    def lasts(self, seconds: float) -> None:
        """Note that no rank has moved for so long."""
        self.seconds += seconds

    @property
    def is_due(self) -> bool:
        """Whether it is time to ask for the reason."""
        return not self.is_told and self.seconds >= max(self._ask_at, self.least_s)

    def without_reason(self) -> None:
        """Note that none was found: it is asked for again after a while."""
        self._ask_at = self.seconds + max(_AGAIN_S, self.limit_s / 4)


@dataclass(frozen=True)
class Hung:
    """A hang, how long no rank had moved, whether one is newly dead, whether the rest stands."""

    found: StuckJob
    seconds: float
    is_new_death: bool = False
    stands: bool = True


class ProgramEnded(Exception):
    """The program has ended."""


@dataclass
class Watchdog:
    """A thread that watches the program which records into a folder, as long as a block lasts.

    `tell` is called with each hang after `limit_s` seconds, `fail` with the error where no more can
    be watched. Neither they nor the thread ever raise something into the block.
    """

    folder: Path
    limit_s: float
    tell: Callable[[Hung], object]
    fail: Callable[[Exception], object] = lambda _: None
    files: Files = field(default_factory=Files)
    clock: Callable[[], float] = time.monotonic
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Watchdog":
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join(_END_S)

    def _run(self) -> None:
        try:
            self.watch()
        except ProgramEnded:
            pass
        except Exception as error:
            self.fail(error)

    def sleep(self, seconds: float) -> None:
        """Wait for so long. Raises `ProgramEnded` once the program has ended."""
        if self._ended.wait(seconds):
            raise ProgramEnded

    def watch(self) -> None:
        """Watch until the program has ended, which raises `ProgramEnded`."""
        pause = min(max(self.limit_s / 4, _LEAST_PAUSE_S), _PAUSE_S)
        still = Standstill(self.limit_s)
        # Processes that were missing in the last glance, and those of which no more is to be said.
        missing: frozenset[int] = frozenset()
        known: frozenset[int] = frozenset()
        with closing(Glances(self.folder, self.files, self.clock)) as glances:
            while True:
                began, waits = self.clock(), min(pause, _SOON_S) if missing - known else pause
                self.sleep(waits)
                glance = glances.take()
                if glance.moved:
                    still.goes_on()
                else:
                    # While leadline was stopped, the program may have been, too.
                    still.lasts(min(self.clock() - began, 2 * waits))
                still.least_s = _ELSEWHERE_S if glances.spans_hosts else 0.0
                lost, missing = (glance.gone & missing) - known, glance.gone
                known |= lost
                if lost or still.is_due:
                    self._judge(glances, still, bool(lost))

    def _judge(self, glances: Glances, still: Standstill, lost: bool) -> None:
        """Look at the job, and tell why it stands if it does, or who is dead if that is new."""
        try:
            job, moved = look_unasked(glances, self.files, self.sleep, self.clock)
        except UserError:  # no rank has begun, or all have ended
            still.without_reason()
            return
        found = report(job, lambda hang: is_told(job, hang))
        is_dead = lost and found.verdict == _DEAD
        if is_dead or (found.is_stuck and still.is_due and not moved):
            self.tell(Hung(found, still.seconds, is_dead, not moved))
            still.is_told = True
        elif still.is_due:
            still.without_reason()
        if moved:
            still.goes_on()


def look_unasked(
    glances: Glances,
    files: Files,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Job, bool]:
    """Look at a job about which nobody has asked, and tell whether it moved meanwhile.

    Raises `UserError` where no rank runs.
    """
    outside = glances.outside()
    children = Children(files, outside, clock)
    # Without a debugger, which would hold a rank.
    job = watch(str(glances.folder), files, sleep=sleep, ask=lambda *_: {}, clock=clock)
    worked = Children(files, outside, clock).worked_since(children)
    sleep(0)
    return job, bool(job.moved) or worked or glances.take().moved


def is_told(job: Job, hang: Hang) -> bool:
    """Tell whether a finding is a hang for somebody who has not asked for the job."""
    ranks = [rank for rank in job.ranks if rank.rank in hang.ranks]
    lasts = min((rank.call.since_s or 0.0 for rank in ranks), default=0.0)
    return hang.kind not in _MOVING and lasts >= _LONGER_S.get(hang.kind, 0.0)
