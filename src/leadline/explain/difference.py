"""Two recordings of a program side by side: which call, which size, waiting or transfer."""

from __future__ import annotations

import msgspec

from leadline.explain.owners import total
from leadline.explain.report import Explained


class CallDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function and class of sizes, in either recording.

    Calls and seconds are those of an average rank; `transfer` is all that was no waiting. `bytes`
    is the size of a call on average, of the recording with more calls; null where it is not known.
    """

    call: str
    bytes: int | None
    base_calls: float
    calls: float
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
    sizeless = {site.call for site in (*base.sites, *other.sites) if site.bytes is None}
    found: dict[tuple[str, int], tuple[_Calls, _Calls]] = {}
    for side, explained in enumerate((base, other)):
        ranks = len(explained.ranks)
        for site in explained.sites:
            size = None if site.call in sizeless else site.bytes
            key = site.call, -1 if size is None else size.bit_length()
            calls = found.setdefault(key, (_Calls(), _Calls()))[side]
            calls.calls += site.calls / ranks
            calls.bytes += (size or 0) * site.calls / ranks
            calls.waiting_s += site.waiting_s / ranks if known else 0.0
            calls.own_s += (site.own_s if known else site.seconds) / ranks
    differences = []
    for (call, bits), (before, after) in sorted(found.items()):
        more = max(before, after, key=lambda one: one.calls)
        differences.append(
            CallDifference(
                call=call,
                bytes=round(more.bytes / more.calls) if bits >= 0 else None,
                base_calls=before.calls,
                calls=after.calls,
                base_waiting_s=before.waiting_s,
                waiting_s=after.waiting_s,
                base_transfer_s=before.own_s,
                transfer_s=after.own_s,
            )
        )
    differences.sort(key=lambda each: -abs(each.waiting_more_s) - abs(each.transfer_more_s))
    return ExplainedDifference(
        base=base.run,
        other=other.run,
        base_seconds=base.seconds,
        seconds=other.seconds,
        base_computing_s=total(base.ranks).computing_s / len(base.ranks),
        computing_s=total(other.ranks).computing_s / len(other.ranks),
        calls=tuple(differences),
        waiting_known=known,
    )


class _Calls(msgspec.Struct):
    """The calls of one function and class of sizes, all numbers those of an average rank."""

    calls: float = 0.0
    bytes: float = 0.0
    waiting_s: float = 0.0
    own_s: float = 0.0
