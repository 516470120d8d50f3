"""Results that take time to make: each made once, by a few workers, the last used ones kept."""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

from leadline.core.errors import UserError

Result = TypeVar("Result")


class NotYet(Exception):
    """The result is still being made, or too much else is: ask again."""


class Workers:
    """Threads that make results; they end with the process, whatever they do then."""

    def __init__(self, threads: int = 2, waiting: int = 64) -> None:
        self._jobs: queue.Queue[_Job] = queue.Queue(maxsize=waiting)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, job: _Job) -> None:
        """Have the job done; one that a worker needs for its own job is done at once.

        Its result is `NotYet` where too many wait.
        """
        if threading.current_thread() in self._threads:
            job.run()
            return
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            job.future.set_exception(NotYet())

    def needed(self, job: _Job) -> None:
        """Do the job now where its worker would otherwise wait for itself."""
        if threading.current_thread() in self._threads:
            job.run()

    def _work(self) -> None:
        while True:
            self._jobs.get().run()


class Cache:
    """At most `capacity` results by key, errors too, those that were not asked for longest gone."""

    def __init__(self, workers: Workers, capacity: int) -> None:
        self._workers = workers
        self._capacity = capacity
        self._jobs: OrderedDict[Hashable, _Job] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], Result],
        patience_s: float | None = None,
    ) -> Result:
        """Return what `make` returns, or raise what it raises, making it once for each key.

        Raises `NotYet` when that takes longer than `patience_s`; it goes on meanwhile. Every error
        of `make` is a `UserError`: what a strange run does to analyses is its own trouble.
        """
        with self._lock:
            job = self._jobs.get(key)
            new = job is None
            if job is None:
                job = self._jobs[key] = _Job(make)
            self._jobs.move_to_end(key)
            while len(self._jobs) > self._capacity:
                self._jobs.popitem(last=False)
        try:
            (self._workers.submit if new else self._workers.needed)(job)
            result: Result = job.future.result(patience_s)
        except NotYet:
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]
            raise
        except TimeoutError:
            raise NotYet from None
        return result

    def has(self, key: Hashable) -> bool:
        """Tell whether the result is there."""
        with self._lock:
            job = self._jobs.get(key)
        return job is not None and job.future.done()

    def __len__(self) -> int:
        return len(self._jobs)


class _Job:
    def __init__(self, make: Callable[[], Any]) -> None:
        self.future: Future[Any] = Future()
        self._make: Callable[[], Any] | None = make
        self._claim = threading.Lock()

    def run(self) -> None:
        """Do the job, unless somebody does or did."""
        with self._claim:
            make, self._make = self._make, None
        if make is None:
            return
        try:
            self.future.set_result(make())
        except (UserError, NotYet) as error:
            self.future.set_exception(error)
        except BaseException as error:
            what = f"{type(error).__name__}: {error}"
            refusal = UserError(f"nothing can be made of what the folder holds: {what}")
            refusal.__cause__ = error
            self.future.set_exception(refusal)
