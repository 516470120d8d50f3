"""Evidence that a rule of findings may speak of or not, and the question whether it does."""

import dataclasses

import msgspec

from leadline.analysis.findings.evidence import Evidence
from leadline.model.imported import Bound

KIB = 1024


def told(rule, whole: Evidence) -> bool:
    return bool(list(rule.find(whole)))


def declared(whole: Evidence, ways: bool = True, **changes: object) -> Evidence:
    """The same figures of a benchmark that says something else of itself."""
    (one,) = whole.run.benchmarks
    axes = tuple(msgspec.structs.replace(axis, ways=ways) for axis in one.axes)
    known = msgspec.structs.replace(one, axes=axes, **changes)
    return dataclasses.replace(whole, run=msgspec.structs.replace(whole.run, benchmarks=[known]))


def limited(whole: Evidence, value: float, burst: int = 0) -> Evidence:
    bound = Bound(quantity="bandwidth_MBps", value=value, where="node", burst_bytes=burst)
    return dataclasses.replace(whole, bounds=(bound,))


def smooth(size: int) -> float:
    return 1e-6 + size / 1e9


def bursting(size: int) -> float:
    """One way over a shaped link of 100 MB/s that lets the first 16 KiB pass at once."""
    return 1e-6 + size / 1e9 + max(0, size - 16 * KIB) / 1e8
