"""The exact words of each kind of finding, on real data where there are any.

`examples/KIND.py` makes the evidence, and `golden/KIND.txt` has what the rule says of it. A changed
sentence is written with `LEADLINE_GOLDEN=write pytest tests/unit/analysis/findings/test_golden.py`,
and read before it is committed.
"""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from wording import faults_of

from leadline.analysis.findings import judge_pairs
from leadline.analysis.findings.kinds import RULES
from leadline.core.units import times
from leadline.model.summary import Finding

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
EXAMPLES = sorted(path.stem for path in (HERE / "examples").glob("*.py"))


def load(kind: str) -> object:
    """Return the module of an example."""
    spec = importlib.util.spec_from_file_location(kind, HERE / "examples" / f"{kind}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(finding: Finding) -> Iterator[str]:
    """Yield what a person reads of a finding."""
    yield f"{finding.severity}: {finding.text}"
    if finding.advice:
        yield f"  {finding.advice}"
    if finding.command:
        yield f"  $ {finding.command}"
    if finding.gain:
        yield f"  gain {times(finding.gain.times)}"


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_words_of_a_kind_are_the_golden_ones(kind, makers) -> None:
    example = load(kind)
    whole = example.evidence(makers)
    found = list(RULES[kind].find(whole, judge_pairs(whole)))
    assert found and [fault for one in found for fault in faults_of(one)] == []
    text = "\n".join([f"# {example.SOURCE}", *(line for one in found for line in lines(one)), ""])
    path = GOLDEN / f"{kind}.txt"
    if os.environ.get("LEADLINE_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


def test_each_golden_file_has_its_example() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == EXAMPLES
