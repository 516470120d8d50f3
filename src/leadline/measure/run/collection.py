"""What a launch measured, followed while it grows and collected when it has ended."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.measure.build.probe import check_library
from leadline.measure.launch.explain import explain
from leadline.measure.run.runner import STDERR, STDOUT, LaunchEnd
from leadline.model.installation import Installation
from leadline.model.plan import Point
from leadline.model.progress import Observer
from leadline.model.run import Launch, Outcome
from leadline.store.launches import EVENTS, EventReader, collect_launch, has_ended


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

    def __call__(self) -> bool:
        """Return whether anything new came."""
        news = False
        for event in self._events.new():
            news = True
            if event["event"] == "begin":
                self._observer.measuring(self._launch, self._points[event["point"]])
            elif event["event"] in ("point", "skip"):
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
        background=end.background,
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
    output = "\n".join(_text(place / name) for name in (STDOUT, STDERR))
    return Outcome(state="failed", message=explain(launcher, output, end.returncode))


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
