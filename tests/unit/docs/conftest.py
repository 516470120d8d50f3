import pytest
from checkout import CHECKOUT


@pytest.fixture(scope="session")
def root():
    return CHECKOUT


@pytest.fixture(scope="session")
def documents():
    """Every document by its path."""
    return {
        path: path.read_text() for path in (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"))
    }
