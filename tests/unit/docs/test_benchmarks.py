"""The reference of benchmarks names those of the sources, each once."""

import re

import pytest
from documents import declared


@pytest.fixture(scope="module")
def text(documents, root):
    return documents[root / "docs" / "reference" / "benchmarks.md"]


def test_every_benchmark_has_its_section(text):
    sections = re.findall(r"^### (\w+/\w+)$", text, re.MULTILINE)
    assert sections == sorted(set(sections))
    there = {name for name in declared(r'\.name = "(\w+/\w+)"') if not name.startswith("fake/")}
    assert set(sections) == there


def test_every_section_has_a_time_and_its_processes(text):
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        assert re.search(r"^- time `\w[^`]*`: \w", section, re.MULTILINE), section[:40]
        assert re.search(r"^- processes: \d", section, re.MULTILINE), section[:40]
