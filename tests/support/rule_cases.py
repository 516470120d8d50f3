"""Cases of rules as data: evidence of which a rule says something, and what only tempts it."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import pytest

from leadline.analysis.findings.evidence import Evidence
from leadline.model.imported import Bound, Import
from leadline.model.summary import Finding

KIB = 1024

# Evidence, made with the `makers` of the tests of findings.
Made = Callable[[Any], Evidence]


class Case(NamedTuple):
    """Evidence of which a rule says this: `says` are parts of the text, `fields` what is equal.

    A field of a finding, or a number of its evidence. `silent` has what no text says.
    """

    kind: str
    made: Made
    says: tuple[str, ...]
    silent: tuple[str, ...]
    fields: dict[str, Any]

    def check(self, finding: Finding) -> None:
        """Hold a finding against what it is to be."""
        assert [part for part in self.says if part not in finding.text] == [], finding.text
        assert [part for part in self.silent if part in finding.text] == [], finding.text
        for name, wanted in self.fields.items():
            known = name in finding.__struct_fields__
            got = getattr(finding, name) if known else finding.evidence[name]
            if name == "gain" and got:
                got = got.times
            if isinstance(wanted, float):
                wanted = pytest.approx(wanted, rel=1e-2)
            if name in ("command", "advice") and wanted:
                assert wanted in got, got
            else:
                assert got == wanted, f"{name}: {got}"


def case(kind: str, made: Made, *says: str, silent: tuple[str, ...] = (), **fields: Any) -> Case:
    """Make a case of which there is one finding."""
    return Case(kind, made, says, silent, fields)


class Silence(NamedTuple):
    """Evidence of which a rule speaks, and evidence near to it of which it does not."""

    kind: str
    loud: Made
    quiet: Made


def declared(whole: Evidence, ways: bool = True, **changes: object) -> Evidence:
    """The same figures of a benchmark that says something else of itself."""
    (one,) = whole.run.benchmarks
    axes = tuple(msgspec.structs.replace(axis, ways=ways) for axis in one.axes)
    known = msgspec.structs.replace(one, **({"axes": axes} | changes))
    return dataclasses.replace(whole, run=msgspec.structs.replace(whole.run, benchmarks=[known]))


def imported(whole: Evidence, **what: object) -> Evidence:
    """The same figures as another program printed them."""
    run = msgspec.structs.replace(
        whole.run, launches=[], imported=Import(program="p", files=("f",), **what)
    )
    return dataclasses.replace(whole, run=run)


def limited(whole: Evidence, value: float, burst: int = 0, where: str = "node") -> Evidence:
    """The same figures with a limit of their rate, in MB/s."""
    bound = Bound(quantity="bandwidth_MBps", value=value, where=where, burst_bytes=burst)
    return dataclasses.replace(whole, bounds=(bound,))


def smooth(size: int) -> float:
    """1 us and 1 GB/s."""
    return 1e-6 + size / 1e9


def bursting(size: int) -> float:
    """One way over a shaped link of 100 MB/s that lets the first 16 KiB pass at once."""
    return 1e-6 + size / 1e9 + max(0, size - 16 * KIB) / 1e8
