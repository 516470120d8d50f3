"""What `watch` says of a night in one line."""

import pytest
from launched import figure

from leadline.analysis.compare.confirming import Yardsticks
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.nights import FigureVerdict, Night, Verdict
from leadline.analysis.stats.alarms import Machine
from leadline.library.nights import Followed, watched_night

UNSTEADY = "no usual time: the nights differ too much"


def said(*words, earlier=8, lacks=(), ratio=1.2):
    """Return the line on a night of as many figures as there are words."""
    new = Dated("new", tuple(figure((1.0, 1.0), size=8 * (n + 1)) for n in range(len(words))))
    told = {n: FigureVerdict(word, ratio, 0.001, "") for n, word in enumerate(words)}
    verdict = Verdict("new", told, Machine(1.0), {}, {})
    followed = Followed(new, Night("new", {}, {}), [verdict], earlier, Yardsticks([new]), lacks)
    return watched_night(followed, None, confirmable=True).summary.removeprefix("new: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("usual", "usual"), "nothing is slower: 2 figures against 8 earlier runs"),
        (("usual", "unsteady"), f"1 figure looks slower and has {UNSTEADY}"),
        (("unsteady", "unsteady"), f"2 figures look slower and have {UNSTEADY}"),
    ],
)
def test_a_night_in_one_line(words, line):
    assert said(*words) == line


def test_a_faster_figure_says_how_many_times_faster():
    assert said("faster", ratio=0.5).startswith("faster: ")
    assert said("faster", ratio=0.5).endswith(" 2.0x")


def test_why_history_only_begins():
    assert said("learning", earlier=2) == "history begins: 2 earlier runs, three are needed"
    assert said("learning", earlier=4) == (
        "history begins: fewer than three of 4 earlier runs met the machine at its usual speed"
    )


def test_what_was_not_measured_is_named():
    names = ["family/thing at 8 B", "family/thing at 64 B", "family/other"]
    assert said("usual", lacks=names) == (
        "nothing is slower: 1 figure against 8 earlier runs; not measured: family/thing at 8 B, "
        "family/thing at 64 B and 1 more"
    )
    assert said() == "no answer: no figure was measured"
