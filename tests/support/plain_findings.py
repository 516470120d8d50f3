"""A fixture that holds every finding which a test makes against the vocabulary."""

from collections.abc import Iterator

import pytest
from wording import faults_of

from leadline.analysis.findings.contest import PairRatios
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import Rule
from leadline.model.summary import Finding


@pytest.fixture(scope="module", autouse=True)
def plain_words() -> Iterator[None]:
    """Let each rule's `find` check the words of what it yields."""
    find = Rule.find

    def checked(
        rule: Rule, evidence: Evidence, ratios: PairRatios | None = None
    ) -> Iterator[Finding]:
        for one in find(rule, evidence, ratios):
            faults = list(faults_of(one, rule.evidence))
            assert not faults, f"{rule.kind}: {faults} in {one}"
            yield one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "find", checked)
        yield
