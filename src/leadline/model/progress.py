"""What a run tells those who watch it."""

from typing import Protocol

from leadline.model.plan import Point


class Observer(Protocol):
    """Someone who watches a run; calls arrive in the order of events."""

    def begin(self, points: int) -> None:
        """The run starts; `points` counts every point once a launch."""

    def doing(self, text: str) -> None:
        """What happens now, such as building probes or launching."""

    def measuring(self, launch: int, point: Point) -> None:
        """A point of a launch starts."""

    def finished(self, launch: int, point: Point) -> None:
        """A point of a launch is done: its samples are on disk, or it cannot be measured here."""

    def warn(self, text: str) -> None:
        """Something that the user should know, one line."""

    def end(self) -> None:
        """The run is over, however it ended."""


class Silent:
    """An observer that shows nothing."""

    def begin(self, points: int) -> None:
        """Show nothing."""

    def doing(self, text: str) -> None:
        """Show nothing."""

    def measuring(self, launch: int, point: Point) -> None:
        """Show nothing."""

    def finished(self, launch: int, point: Point) -> None:
        """Show nothing."""

    def warn(self, text: str) -> None:
        """Show nothing."""

    def end(self) -> None:
        """Show nothing."""
