"""The explanation of a kind of finding, as its rule's own file has it."""

import importlib
import inspect
from collections.abc import Mapping
from typing import NamedTuple

from leadline.analysis.findings.kinds import RULES
from leadline.model.summary import Topic

# Names of numbers end with their unit; no ending is a plain number.
_UNITS = {
    "s": "s", "MBps": "MB/s", "bytes": "bytes", "fraction": "1 is all", "ratio": "times",
    "factor": "times", "processes": "processes", "Hz": "Hz",
}  # fmt: skip


class Explanation(NamedTuple):
    """What a kind of finding means: `definition` in a sentence, `background` in paragraphs.

    `evidence` has the meaning of each number, with its unit where there is one, `cure` what to do,
    `source` the paper or standard that the rule follows, empty for none.
    """

    kind: str
    topic: Topic
    definition: str
    background: str
    evidence: Mapping[str, str]
    cure: str
    source: str


def explain(kind: str) -> Explanation:
    """Return the explanation of a kind."""
    rule = importlib.import_module(f"{RULES}.{kind}")
    definition, _, background = (inspect.getdoc(rule) or "").partition("\n")
    return Explanation(
        kind=kind,
        topic=rule.TOPIC,
        definition=definition,
        background=background.strip(),
        evidence={
            name: f"{meaning}{_unit(name)}"
            for name, meaning in getattr(rule, "EVIDENCE", {}).items()
        },
        cure=rule.ADVICE,
        source=getattr(rule, "SOURCE", ""),
    )


def _unit(name: str) -> str:
    """Return the unit that the end of a name tells, in brackets.

    >>> _unit("clock_error_s"), _unit("launches")
    (' (s)', '')
    """
    unit = _UNITS.get(name.rpartition("_")[2])
    return f" ({unit})" if unit else ""
