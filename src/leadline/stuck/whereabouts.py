"""Where a rank is that another waits for, in words."""

from leadline.stuck.job import ABORTED, EXITED, FINALISED, Rank

_ENDED = {
    EXITED: "has left the program",
    ABORTED: "has aborted",
}


def whereabouts(rank: Rank) -> str:
    """Return what a rank does: the end of a sentence about it."""
    if rank.state == FINALISED:
        return f"has passed {rank.end}"
    return _ENDED.get(rank.state, f"is in {rank.call}")
