"""Files of tests in the order of their time, the longest first: no core is left with the last one.

The times are those that the files took when they ran here before; a file that is new takes what its
tier does.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiers
from checkout import CHECKOUT

TIMES = CHECKOUT / "build" / "test-times.json"
_USUAL_S = {"unit": 0.5, "system": 20.0, "full": 60.0}


def ordered(items: list[pytest.Item], known: dict[str, float]) -> list[pytest.Item]:
    """Return the tests by file, those of the longest file first, else as they stood."""

    def before(item: pytest.Item) -> tuple[float, str]:
        file = item.nodeid.partition("::")[0]
        return -known.get(file, _USUAL_S[tiers.tier_of(item.path)]), file

    return sorted(items, key=before)


class LongestFirst:
    """What orders the tests of a session, and keeps the times for the next one."""

    def __init__(self, times: Path = TIMES) -> None:
        self._times, self._took = times, Counter[str]()

    def known(self) -> dict[str, float]:
        """Return the seconds of each file that ran here before."""
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(self._times.read_text()))
        return {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        """Order what the others have left."""
        yield
        items[:] = ordered(items, self.known())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the time of a part of a test."""
        self._took[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep the times, where all tests of many ran."""
        if hasattr(session.config, "workerinput") or not session.config.getoption(
            "numprocesses", None
        ):
            return
        self._times.parent.mkdir(exist_ok=True)
        self._times.write_text(json.dumps(self.known() | self._took, indent=1, sort_keys=True))
