"""The program that lists messages, built once for the session."""

import pytest
from checkout import CHECKOUT

from leadline.measure.build.schedules import described, schedules_for


@pytest.fixture(scope="session")
def schedules(tmp_path_factory):
    """What the C++ tests have built, where it is newer than its sources; else built now."""
    built = CHECKOUT / "build/test/schedules/leadline-schedules"
    sources = [
        path
        for part in ("schedules", "algorithms", "probes")
        for path in (CHECKOUT / part).rglob("*.[ch]pp")
    ]
    if built.is_file() and built.stat().st_mtime > max(path.stat().st_mtime for path in sources):
        return described(built)
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_HOME", str(home))
        return schedules_for(str)
