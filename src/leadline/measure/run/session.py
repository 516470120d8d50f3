"""The launches of a run, one after the other: followed, collected, and counted where they fail."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from signal import Signals

import msgspec

from leadline.core.errors import UserError
from leadline.core.processes import stop_requests
from leadline.measure.build.probe import check_library
from leadline.measure.launch.explain import explain
from leadline.measure.launch.supervise import STALLED, LaunchEnd
from leadline.measure.run.runner import Runner, format_launch, printed
from leadline.model.installation import Installation
from leadline.model.plan import Point
from leadline.model.progress import Observer
from leadline.model.run import Launch, LaunchKey, Outcome, Run, launch_key
from leadline.site.interference.recorder import InterferenceRecorder
from leadline.store.folder import RunFolder
from leadline.store.launches import EVENTS, EventReader, collect_launch, has_ended

# Launches of one `launch_key` that fail this often are not tried again.
_MOST_FAILURES = 2


class Session:
    """A run that is measured: its record, the folder that keeps it, and who is told of it.

    Without a `recorder` interference is not known.
    """

    def __init__(
        self,
        run: Run,
        folder: RunFolder,
        observer: Observer,
        recorder: InterferenceRecorder | None = None,
    ) -> None:
        self.run, self.folder, self.observer, self.recorder = run, folder, observer, recorder
        self._installations = {each.name: each for each in run.installations}
        # Warnings: where nothing at all is measured the outcome says why, so until then they wait.
        self._warned: set[str] = set()
        self._waiting: list[str] | None = []

    def carry_out(self, launches: Sequence[Launch], runner: Runner) -> Outcome:
        """Add what came of each of `launches` to the run, and return how the whole ended."""
        with stop_requests() as requests:
            try:
                return self._carry_out(launches, runner, requests)
            except KeyboardInterrupt:
                # Raised by an observer, or where signals are not leadline's to handle.
                return self._early_end(Outcome(state="interrupted", message="by SIGINT"))
            finally:
                runner.close()

    def _carry_out(
        self, launches: Sequence[Launch], runner: Runner, requests: Sequence[Signals]
    ) -> Outcome:
        failures: Counter[LaunchKey] = Counter()
        left_out = 0
        for launch in launches:
            if requests:
                return self._early_end(
                    Outcome(state="interrupted", message=f"by {requests[0].name}")
                )
            key = launch_key(launch)
            if failures[key] >= _MOST_FAILURES:
                what = f"{launch.api} programs with {format_launch(launch)}"
                line = f"left out: further launches of {what}: {_MOST_FAILURES} have failed"
                self._warn(line, line)
                left_out += 1
                runner.leave_out(self.folder.launch_path(launch.launch))
                continue
            end, done = self._one(launch, runner)
            if done and self.folder.is_full:
                return Outcome(
                    state="incomplete",
                    message=f"the disk of {self.folder.path} is full: free some space, then "
                    "measure what is missing; every finished point is kept",
                )
            if done:
                self.folder.write(self.run)
            if end.final:
                return self._early_end(end.outcome)
            if done and done.outcome.state != "complete":
                failures[key] += 1
                reason = done.outcome.message
                self._warn(f"launch {launch.launch + 1} ({launch.mpi}): {reason}", reason)
            if done and done.points:
                for line in self._waiting or ():
                    self.observer.warn(line)
                self._waiting = None
        return self._overall(left_out)

    def _one(self, launch: Launch, runner: Runner) -> tuple[LaunchEnd, Launch | None]:
        """Run one launch; return how it ended, and what it measured where it has started."""
        place = self.folder.launch_path(launch.launch)
        follower = Follower(launch.launch, self.run.points, place, self.observer)
        tick = self.recorder.watch(launch, follower) if self.recorder else follower
        end = runner.run(launch, place, tick)
        if not end.started:
            return end, None
        done = collect(launch, place, end, follower.error, self._installations[launch.mpi])
        done = msgspec.structs.replace(done, outcome=_with_point(done.outcome, follower.at))
        if self.recorder:
            done = msgspec.structs.replace(done, company=self.recorder.interference_of(done))
        self.run.launches.append(done)
        return end, done

    def _warn(self, line: str, reason: str) -> None:
        if reason in self._warned:
            return
        self._warned.add(reason)
        if self._waiting is None:
            self.observer.warn(line)
        else:
            self._waiting.append(line)

    def _early_end(self, outcome: Outcome) -> Outcome:
        measured = any(launch.points for launch in self.run.launches)
        if outcome.state == "incomplete" and not measured:
            return Outcome(state="failed", message=outcome.message)
        return msgspec.structs.replace(
            outcome, message=f"{outcome.message}; every finished point is kept"
        )

    def _overall(self, left_out: int) -> Outcome:
        """Return how the run ended, `left_out` of whose launches were not tried."""
        launches = self.run.launches
        failed = [launch for launch in launches if launch.outcome.state != "complete"]
        measured = any(launch.points for launch in launches)
        if not failed and measured:
            return Outcome(state="complete")
        if not failed:
            reasons = dict.fromkeys(skip.reason for each in launches for skip in each.skipped)
            message = f"nothing can be measured here: {'; '.join(reasons)}"
            return Outcome(state="failed", message=message)
        first = failed[0]
        more = f", {left_out} more left out" if left_out else ""
        return Outcome(
            state="incomplete" if measured else "failed",
            message=f"{len(failed)} of {len(launches)} launches failed{more}; "
            f"launch {first.launch + 1} ({first.mpi}): {first.outcome.message}",
        )


class Follower:
    """Tells the observer what a growing stream of events says, and keeps the probe's error."""

    def __init__(
        self, launch: int, points: Iterable[Point], place: Path, observer: Observer
    ) -> None:
        self._launch = launch
        self._points = {point.index: point for point in points}
        self._events = EventReader(place / EVENTS)
        self._observer = observer
        self.error = ""
        # The point that has begun and has not ended.
        self.at: Point | None = None

    def __call__(self) -> bool:
        """Return whether anything new came."""
        news = False
        for event in self._events.new():
            news = True
            if event["event"] == "begin":
                self.at = self._points[event["point"]]
                self._observer.measuring(self._launch, self.at)
            elif event["event"] in ("point", "skip"):
                self.at = None
                self._observer.finished(self._launch, self._points[event["point"]])
            elif event["event"] == "error":
                self.error = event["message"]
        return news


def collect(
    launch: Launch, place: Path, end: LaunchEnd, error: str, installation: Installation
) -> Launch:
    """Return `launch` with what the folder `place` holds, and how it ended.

    `error` is the probe's own, if it told one. What another library than the installation's
    measured does not count.
    """
    base = msgspec.structs.replace(
        launch,
        started=end.began,
        ended=end.ended,
        background=end.neighbour,
        outcome=_outcome(end, place, launch.launcher, error),
    )
    done = collect_launch(place, base)
    try:
        if done.library and launch.api == "mpi":
            check_library(installation, done.library)
    except UserError as mismatch:
        wrong = Outcome(state="failed", message=str(mismatch))
        return msgspec.structs.replace(done, outcome=wrong, points=())
    return done


def _with_point(outcome: Outcome, point: Point | None) -> Outcome:
    """Return how a launch ended, with the point at which it failed or hung.

    Where a time limit was reached no point is the cause.
    """
    failed = outcome.state == "failed" or outcome.message.startswith(STALLED)
    if not failed or not point or f"at {point.benchmark} " in outcome.message:
        return outcome
    words = [point.benchmark, *(f"{name}={value}" for name, value in point.axes.items())]
    return msgspec.structs.replace(
        outcome, message=f"{outcome.message}; it was at {' '.join(words)}"
    )


def _outcome(end: LaunchEnd, place: Path, launcher: str, error: str) -> Outcome:
    """Return how a launch ended: without the probe's last word it failed, whatever its launcher
    says. PRRTE's returns 0 after it has lost a host.
    """
    unfinished = end.outcome.state == "complete" and not has_ended(place)
    if end.outcome.state != "failed" and not unfinished:
        return end.outcome
    if error:
        return Outcome(state="failed", message=error)
    if end.lost and (place / EVENTS).exists():
        return Outcome(
            state="failed",
            message=f"host {', '.join(end.lost)} does not answer any more: it has failed, or "
            "its link is cut; every point that was finished before is kept",
        )
    output = printed(place)
    return Outcome(state="failed", message=explain(launcher, output, end.returncode))
