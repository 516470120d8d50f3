import pytest
import reference
from checkout import CHECKOUT


@pytest.fixture(scope="session")
def root():
    return CHECKOUT


@pytest.fixture(scope="session")
def made():
    """The pages of the reference that are made from the code, by name."""
    return reference.pages([])


@pytest.fixture(scope="session")
def documents(made):
    """Every document by its path, with those that are made from the code."""
    written = (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"))
    folder = CHECKOUT / "docs" / "reference"
    return {path: path.read_text() for path in written} | {
        folder / name: text for name, text in made.items()
    }
