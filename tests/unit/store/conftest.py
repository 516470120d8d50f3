from collections.abc import Callable
from pathlib import Path

import pytest
from measured import Measured


@pytest.fixture
def measured(tmp_path: Path) -> Callable[..., Measured]:
    """Make a run in the folder `runs` of the test's own folder."""
    return lambda **options: Measured(tmp_path / "runs", **options)
