"""The examples in the docstrings of the room."""

import doctest
import importlib

import pytest

from leadline.core.plugins import modules_of


@pytest.mark.parametrize("name", [*modules_of("leadline.explain"), "leadline.core.processes"])
def test_the_documented_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
