"""A rule of findings: how it decides, and the explanation of the kind of finding that it makes."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from leadline.analysis.findings.contest import Match, PairRatios
from leadline.analysis.findings.evidence import Evidence
from leadline.model.summary import Finding, Topic

# A rule's own function: of evidence, and of ratios where it compares.
Decide = Callable[..., Iterable[Finding]]
Matches = Callable[[Evidence], Iterable[Match]]

# Names of numbers end with their unit; no ending is a plain number.
_UNITS = {
    "s": "s", "MBps": "MB/s", "bytes": "bytes", "fraction": "1 is all", "ratio": "times",
    "factor": "times", "processes": "processes", "Hz": "Hz",
}  # fmt: skip


class Rule(NamedTuple):
    """A rule: how it decides, and what its `kind` of finding means.

    `definition` is a sentence, `background` paragraphs. `evidence` has the meaning of each number,
    with its unit where there is one, `cure` what to do, empty where nothing is sure
    to help, `source` the paper or standard that the rule follows, empty for none. `matches` yields
    all that it compares.
    """

    kind: str
    topic: Topic
    definition: str
    background: str
    evidence: Mapping[str, str]
    cure: str
    source: str
    decide: Decide
    matches: Matches | None = None

    def pairs(self, evidence: Evidence) -> Iterator[tuple[int, int]]:
        """Yield the indices of each two figures that it compares."""
        for match in self.matches(evidence) if self.matches else ():
            yield from match.pairs

    def find(self, evidence: Evidence, ratios: PairRatios | None = None) -> Iterator[Finding]:
        """Yield what the rule finds; `ratios` are of all pairs of the run, by default its own."""
        given: list[Any] = [evidence]
        if self.matches:
            given.append(ratios or PairRatios(evidence, self.pairs(evidence)))
        for one in self.decide(*given):
            yield msgspec.structs.replace(one, kind=self.kind, topic=self.topic)


def rule(
    topic: Topic,
    cure: str = "",
    evidence: Mapping[str, str] | None = None,
    source: str = "",
    matches: Matches | None = None,
) -> Callable[[Decide], Rule]:
    """Make a rule of the function called as its kind, with definition and background as docstring.

    `matches` yields all that it compares: then the function is given their ratios too.
    """

    def made(decide: Decide) -> Rule:
        definition, _, background = (inspect.getdoc(decide) or "").partition("\n\n")
        meanings = {name: text + _unit(name) for name, text in (evidence or {}).items()}
        return Rule(
            kind=decide.__name__,
            topic=topic,
            definition=" ".join(definition.split()),
            background=background,
            evidence=meanings,
            cure=cure,
            source=source,
            decide=decide,
            matches=matches,
        )

    return made


def _unit(name: str) -> str:
    """Return the unit that the end of a name tells, in brackets.

    >>> _unit("clock_error_s"), _unit("launches")
    (' (s)', '')
    """
    unit = _UNITS.get(name.rpartition("_")[2])
    return f" ({unit})" if unit else ""
