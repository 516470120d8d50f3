"""The examples in the docstrings of all modules."""

import doctest
import importlib
from pathlib import Path

import pytest

import leadline

ROOT = Path(leadline.__file__).parent
MODULES = [
    ".".join(("leadline", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for file in sorted(ROOT.rglob("*.py"))
    if ">>>" in file.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_the_documented_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0 < results.attempted
