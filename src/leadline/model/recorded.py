"""A program that was run to see where its time goes: what a run holds beside the recording."""

import msgspec


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """How the program was started and ended.

    `host` is the one where it was started, and `cores` those that it might use there.
    `status` is its exit status, negative for a signal, None as long as it runs and where another
    profiler watched it. `ranks` and `nodes` are those that were seen in the end, and `headline` is
    what was said of its time then.
    """

    command: tuple[str, ...]
    mpi: str
    accelerated: bool = False
    host: str = ""
    cores: int = 0
    status: int | None = None
    ranks: int = 0
    nodes: int = 0
    headline: str = ""
