"""Signals that ask leadline to stop, noted while work goes on that must not be cut anywhere."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Requests(list[signal.Signals]):
    """The signals that came, in their order; the list itself is their handler."""

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal."""
        self.append(signal.Signals(number))


@contextmanager
def stop_requests(numbers: Sequence[signal.Signals] = STOPPING) -> Iterator[Requests]:
    """Give the list to which signals that ask leadline to stop are added while the block runs.

    An exception raised by a handler could strike anywhere, such as between two writes of a
    tick. A block inside another one shares its list, so that no request falls between the two.
    Signals that leadline was told to ignore (as by `nohup`) stay ignored.
    """
    handlers = map(signal.getsignal, numbers)
    outer = next((each for each in handlers if isinstance(each, Requests)), None)
    if outer is not None and threading.current_thread() is threading.main_thread():
        yield outer
        return
    requests = Requests()
    with _handled(requests, numbers):
        yield requests


@contextmanager
def deferred(numbers: Sequence[signal.Signals] = STOPPING) -> Iterator[None]:
    """Let a signal that asks leadline to stop wait until the block has ended.

    A second one does not wait: it raises `KeyboardInterrupt` inside the block.
    """
    requests = Requests()

    def wait(number: int, frame: FrameType | None) -> None:
        requests(number, frame)
        if len(requests) > 1:
            raise KeyboardInterrupt

    with _handled(wait, numbers):
        yield
    if requests:
        signal.raise_signal(requests[0])


@contextmanager
def _handled(handler: Handler, numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """Have `handler` handle the signals while the block runs; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number in numbers if before[number] != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
