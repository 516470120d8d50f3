"""Two recordings of a program side by side: which call, which size, waiting or transfer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set

import msgspec

from leadline.explain.owners import total
from leadline.explain.report import Explained


class CallDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function and class of sizes, in either recording.

    Seconds are those of an average rank; `transfer` is all that was no waiting. `bytes` is the size
    of a call on average, of the recording that has more calls; null where it is not known.
    """

    call: str
    bytes: int | None
    base_calls: int
    calls: int
    base_waiting_s: float
    waiting_s: float
    base_transfer_s: float
    transfer_s: float

    @property
    def waiting_more_s(self) -> float:
        """By how much longer the other one waits."""
        return self.waiting_s - self.base_waiting_s

    @property
    def transfer_more_s(self) -> float:
        """By how much longer the other one is in these calls without waiting."""
        return self.transfer_s - self.base_transfer_s

    @property
    def more_s(self) -> float:
        """By how much longer the other one is in these calls."""
        return self.waiting_more_s + self.transfer_more_s


class ExplainedDifference(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two recordings: `base` and `other` are their names.

    `calls` are in the order of what they differ by. Computing is that of an average rank. Without
    `waiting_known` one of them does not tell waiting from transfer: then all time in MPI is
    transfer, in both.
    """

    base: str
    other: str
    base_seconds: float
    seconds: float
    base_computing_s: float
    computing_s: float
    calls: tuple[CallDifference, ...]
    waiting_known: bool = True


def difference(base: Explained, other: Explained) -> ExplainedDifference:
    """Return what differs between two recordings of one program."""
    known = base.waiting_known and other.waiting_known
    # What one does not know sizes of, such as what is received, has no classes in either.
    sites = (*base.sites, *other.sites)
    sizeless = {site.call for site in sites if site.bytes is None}
    before, after = (_by_call(each, known, sizeless) for each in (base, other))
    calls = [
        CallDifference(
            call=call,
            bytes=max(before[key], after[key], key=lambda one: one.calls).size,
            base_calls=before[key].calls,
            calls=after[key].calls,
            base_waiting_s=before[key].waiting_s,
            waiting_s=after[key].waiting_s,
            base_transfer_s=before[key].own_s,
            transfer_s=after[key].own_s,
        )
        for key in sorted({*before, *after})
        for call in [key[0]]
    ]
    return ExplainedDifference(
        base=base.run,
        other=other.run,
        base_seconds=base.seconds,
        seconds=other.seconds,
        base_computing_s=total(base.ranks).computing_s / len(base.ranks),
        computing_s=total(other.ranks).computing_s / len(other.ranks),
        calls=tuple(
            sorted(calls, key=lambda each: -abs(each.waiting_more_s) - abs(each.transfer_more_s))
        ),
        waiting_known=known,
    )


class _Calls(msgspec.Struct):
    calls: int = 0
    bytes: int | None = None
    waiting_s: float = 0.0
    own_s: float = 0.0

    @property
    def size(self) -> int | None:
        return None if self.bytes is None or not self.calls else round(self.bytes / self.calls)


def _by_call(
    explained: Explained, waiting_known: bool, sizeless: Set[str]
) -> defaultdict[tuple[str, int], _Calls]:
    """Return the calls of an average rank by function and class of sizes, -1 without sizes.

    Of the functions in `sizeless` all sizes are one class.
    """
    found: defaultdict[tuple[str, int], _Calls] = defaultdict(_Calls)
    ranks = len(explained.ranks)
    for site in explained.sites:
        size = None if site.call in sizeless else site.bytes
        group = found[site.call, -1 if size is None else size.bit_length()]
        group.calls += site.calls
        if size is not None:
            group.bytes = (group.bytes or 0) + size * site.calls
        group.waiting_s += site.waiting_s / ranks if waiting_known else 0.0
        group.own_s += (site.own_s if waiting_known else site.seconds) / ranks
    return found
