from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def documents():
    """Every document by its path."""
    return {path: path.read_text() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))}
