"""A fixture that holds every finding which a test makes against the vocabulary."""

import importlib
from collections.abc import Callable, Iterator
from functools import wraps
from types import ModuleType

import pytest
from wording import faults_of

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.kinds import RULES, kind_of
from leadline.core.plugins import modules_of
from leadline.model.summary import Finding


@pytest.fixture(scope="module", autouse=True)
def plain_words() -> Iterator[None]:
    """Let each rule's `find` check the words of what it yields."""
    with pytest.MonkeyPatch.context() as patch:
        for rule in map(importlib.import_module, modules_of(RULES)):
            patch.setattr(rule, "find", _held(rule))
        yield


def _held(rule: ModuleType) -> Callable[[Evidence], Iterator[Finding]]:
    find = rule.find

    @wraps(find)
    def checked(evidence: Evidence) -> Iterator[Finding]:
        for one in find(evidence):
            found = list(faults_of(one, getattr(rule, "EVIDENCE", None)))
            assert not found, f"{kind_of(rule.__name__)}: {found} in {one}"
            yield one

    return checked
