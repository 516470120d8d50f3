"""Two recordings of a program side by side: which call, which size, waiting or transfer."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from leadline.explain.owners import total
from leadline.explain.report import Explained


class CallDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function and class of sizes, in either recording.

    Seconds are those of an average rank; `transfer` is all that was no waiting. `bytes` is the size
    of a call on average, of the recording that has more calls.
    """

    call: str
    bytes: int
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

    `calls` are in the order of what they differ by. Computing is that of an average rank.
    """

    base: str
    other: str
    base_seconds: float
    seconds: float
    base_computing_s: float
    computing_s: float
    calls: tuple[CallDifference, ...]


def difference(base: Explained, other: Explained) -> ExplainedDifference:
    """Return what differs between two recordings of one program."""
    before, after = _by_call(base), _by_call(other)
    calls = [
        CallDifference(
            call=call,
            bytes=round(max(before[key], after[key], key=lambda one: one.calls).size),
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
    )


class _Calls(msgspec.Struct):
    calls: int = 0
    bytes: int = 0
    waiting_s: float = 0.0
    own_s: float = 0.0

    @property
    def size(self) -> float:
        return self.bytes / self.calls if self.calls else 0.0


def _by_call(explained: Explained) -> defaultdict[tuple[str, int], _Calls]:
    """Return the calls of an average rank by function and class of sizes."""
    found: defaultdict[tuple[str, int], _Calls] = defaultdict(_Calls)
    ranks = len(explained.ranks)
    for site in explained.sites:
        group = found[site.call, site.bytes.bit_length()]
        group.calls += site.calls
        group.bytes += site.bytes * site.calls
        group.waiting_s += site.waiting_s / ranks
        group.own_s += site.own_s / ranks
    return found
