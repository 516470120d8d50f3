"""What was foretold beside what was given: the arithmetic, without any program."""

import pytest
from comparison.advice import Foretold, Outcome, chosen, foretold, lines, seconds_of

from leadline.core.errors import UserError

NOTHING = Foretold(0.0, 0.0, 0.0)


AT_MOST = Foretold(None, 0.0, 1.0)


def outcome(saved, after, before=AT_MOST):
    # Some launches take twice as long, and save twice as much.
    untuned = [2.0 + 2.0 * (number % 2) for number in range(9)]
    return Outcome("m", "p", before, after, untuned, [each * (1 - saved) for each in untuned])


@pytest.mark.parametrize(
    ("saved", "after", "right"),
    [
        (0.5, Foretold(0.6, 0.4, 0.8), True),
        (0.5, Foretold(0.9, 0.8, 1.0), False),
        # Outside the interval, and within 20 %.
        (0.5, Foretold(0.58, 0.55, 0.6), True),
        (0.0, NOTHING, True),
        (-0.1, NOTHING, False),
        (0.1, NOTHING, False),
    ],
)
def test_given_is_in_the_interval_or_near(saved, after, right):
    assert outcome(saved, after).is_right(after) is right


def test_only_an_upper_end_is_kept_by_less():
    before = Foretold(None, 0.0, 0.3)
    assert outcome(0.2, NOTHING, before).is_right(before)
    assert not outcome(0.5, NOTHING, before).is_right(before)


def test_the_table_has_both_and_counts():
    told = list(lines([outcome(0.5, Foretold(0.6, 0.4, 0.8)), outcome(0.5, NOTHING)]))
    assert "60 (40 to 80)" in told[1] and "50 (50 to 50)" in told[1]
    assert told[1].endswith("yes") and told[2].endswith("NO")
    assert told[-2].endswith("1 of 2") and told[-1].endswith("2 of 2")


def test_advice_is_read_by_its_kind():
    advice = [{"kind": "use_profile", "saves_s": 2.0, "low_s": 1.0, "high_s": 3.0}]
    assert foretold(advice, "use_profile", 4.0) == Foretold(0.5, 0.25, 0.75)
    assert foretold(advice, "tune_collectives", 4.0) == NOTHING
    upper = [{"kind": "tune_collectives", "saves_s": None, "low_s": None, "high_s": 3.0}]
    assert foretold(upper, "tune_collectives", 4.0) == Foretold(None, 0.0, 0.75)


def test_bad_words_and_silent_programs_are_named():
    assert chosen("rooted,exchange,rooted") == ["rooted", "exchange"]
    with pytest.raises(UserError, match="--programs 'roted'"):
        chosen("roted")
    assert seconds_of("x\nseconds 1.25\n") == 1.25
    with pytest.raises(UserError, match="did not say how long"):
        seconds_of("nothing")
