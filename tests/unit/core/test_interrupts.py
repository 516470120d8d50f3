"""Signals that ask leadline to stop: none is lost, and none strikes where it must not."""

import signal

import pytest

from leadline.core.processes import deferred, stop_requests


def test_a_request_raises_nothing_and_is_noted():
    with stop_requests() as requests:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert requests == [signal.SIGINT, signal.SIGTERM]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_block_inside_another_knows_what_was_asked_before_it_began():
    with stop_requests() as outer:
        signal.raise_signal(signal.SIGINT)
        with stop_requests((signal.SIGINT, signal.SIGTERM)) as inner:
            assert inner == [signal.SIGINT]
            signal.raise_signal(signal.SIGTERM)
        assert outer == [signal.SIGINT, signal.SIGTERM]


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_requests() as requests:
            signal.raise_signal(signal.SIGHUP)
        assert requests == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_handler_of_a_library_is_followed_by_the_default(monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    try:
        with stop_requests((signal.SIGTERM,)) as requests:
            signal.raise_signal(signal.SIGTERM)
        assert requests == [signal.SIGTERM]
        monkeypatch.undo()
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_deferred_interrupt_is_raised_after_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), deferred():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]


def test_the_second_interrupt_does_not_wait():
    done = []
    with pytest.raises(KeyboardInterrupt), deferred():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("never")
    assert done == []


def test_a_deferred_interrupt_is_a_request_of_the_block_around():
    with stop_requests() as requests:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            assert requests == []
        assert requests == [signal.SIGINT]
