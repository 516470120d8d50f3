"""The examples in docstrings hold."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "leadline.analysis.results.rates",
        "leadline.analysis.findings.rules.variants",
        "leadline.measure.build.kernels",
        "leadline.site.software.compiler",
        "leadline.site.software.library",
    ],
)
def test_examples_hold(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0
