"""What a job did that is there to disturb others."""

from typing import Literal

import msgspec


class Congestion(msgspec.Struct, frozen=True, kw_only=True):
    """A congestor that ran as a job of its own, by its own count.

    `state` is `running` until it has ended. The seconds, and the bytes that all processes moved,
    count from the moment that its first round was found right.
    """

    kind: str
    mpi: str
    place: str
    hosts: tuple[str, ...] = ()
    processes: int = 0
    seconds: float = 0.0
    moved_bytes: float = 0.0
    rounds: float = 0.0
    state: Literal["running", "complete", "interrupted", "failed", "timed out"] = "running"
    message: str = ""

    @property
    def rate_MBps(self) -> float:  # noqa: N802 - the unit's own capitals
        """What it moved in a second, in 10^6 bytes; 0 before it has moved anything."""
        return self.moved_bytes / self.seconds / 1e6 if self.seconds > 0 else 0.0
