"""A watch beside a screening: when no news came for long, it asks which rank stands still."""

import threading
import time
from collections.abc import Callable
from types import TracebackType

_STEP_S = 0.5


class Watch:
    """Calls `ask`, in a thread of its own, when `news` was not called for `quiet_s` seconds.

    It asks again after as long, until the answer, which is `hung` then, is not empty.
    """

    def __init__(self, quiet_s: float, ask: Callable[[], dict[str, str]]) -> None:
        self.hung: dict[str, str] = {}
        self._quiet_s = quiet_s
        self._ask = ask
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def news(self) -> None:
        """Note that something happened."""
        self._last = time.monotonic()

    def __enter__(self) -> "Watch":
        """Begin."""
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End, and wait for an answer that is on its way."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(min(_STEP_S, self._quiet_s)):
            if time.monotonic() - self._last > self._quiet_s:
                self.hung = self._ask()
                if self.hung:
                    return
                self._last = time.monotonic()
