"""Results that take time to make: each made once, one at a time, the last used ones kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from leadline.core.errors import UserError

Result = TypeVar("Result")


class Cache:
    """At most `capacity` results by key, errors too, those that were not asked for longest gone."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        # Each a result or an error, and whether it is an error.
        self._kept: OrderedDict[Hashable, tuple[Any, bool]] = OrderedDict()
        self._lock = threading.Lock()
        # What a result needs for itself is made by the same thread.
        self._making = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what `make` returns, or raise what it raises, making it once for each key.

        Every error of `make` is a `UserError`: what a strange run does to analyses is its own
        trouble.
        """
        kept = self._find(key)
        if kept is None:
            with self._making:
                kept = self._find(key) or self._keep(key, _made(make))
        value, is_error = kept
        if is_error:
            raise value
        result: Result = value
        return result

    def has(self, key: Hashable) -> bool:
        """Tell whether the result is there."""
        return key in self._kept

    def _find(self, key: Hashable) -> tuple[Any, bool] | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: Hashable, made: tuple[Any, bool]) -> tuple[Any, bool]:
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
        return made

    def __len__(self) -> int:
        return len(self._kept)


def _made(make: Callable[[], Any]) -> tuple[Any, bool]:
    try:
        return make(), False
    except UserError as error:
        return error, True
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        refusal = UserError(f"nothing can be made of what the folder holds: {what}")
        refusal.__cause__ = error
        return refusal, True
