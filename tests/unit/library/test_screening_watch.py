"""The watch asks when it has been quiet, once, and not before."""

import threading

from leadline.library.screening_watch import Watch


def test_it_asks_once_when_no_news_comes():
    asked = threading.Event()
    calls = []

    def ask():
        calls.append(1)
        asked.set()
        return {"h3": "is stopped"}

    with Watch(0.01, ask) as watch:
        assert asked.wait(20)
    assert watch.hung == {"h3": "is stopped"}
    assert len(calls) == 1


def test_news_keeps_it_quiet():
    with Watch(1000.0, lambda: {"h3": "is stopped"}) as watch:
        watch.news()
    assert watch.hung == {}
