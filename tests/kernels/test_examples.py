"""The examples in docstrings hold."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "leadline.analyse.rates",
        "leadline.findings.rules.best_variant",
        "leadline.kernels.build",
        "leadline.kernels.catalogue",
        "leadline.kernels.compiler",
        "leadline.kernels.library",
    ],
)
def test_examples_hold(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0
