"""The watch asks when it has been quiet, until there is an answer, and not before."""

import threading

from leadline.library.screening_plan import Watch


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


def test_it_asks_again_where_nobody_knew():
    answered = threading.Event()
    answers = [{}, {"h3": "is stopped"}]

    def ask():
        answer = answers.pop(0)
        if answer:
            answered.set()
        return answer

    with Watch(0.01, ask) as watch:
        assert answered.wait(20)
    assert (watch.hung, answers) == ({"h3": "is stopped"}, [])


def test_news_keeps_it_quiet():
    with Watch(1000.0, lambda: {"h3": "is stopped"}) as watch:
        watch.news()
    assert watch.hung == {}
