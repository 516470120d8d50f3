"""The answer of a comparison in sentences."""

from leadline.model.comparison import Compared, Comparison
from leadline.output.compared import comparison_sentences
from leadline.output.words import interval_text

from served import imported_run  # isort: skip

FIGURE = imported_run().imported.figures[0]


def comparison(*figures):
    made = tuple(
        Compared(
            name=f"figure {number}",
            base=FIGURE,
            other=FIGURE,
            base_s=1e-6,
            other_s=ratio * 1e-6,
            ratio=ratio,
            low=None,
            high=None,
            method="",
            p_value=None,
            verdict=verdict,
            launches_needed=needed,
        )
        for number, (verdict, ratio, needed) in enumerate(figures)
    )
    return Comparison(base="before", other="after", same_within=0.05, figures=made)


def test_largest_difference_is_named_each_way():
    found = comparison_sentences(
        comparison(("slower", 1.3, None), ("slower", 1.8, None), ("faster", 0.5, None)), "A", "B"
    )
    assert found == [
        "B is slower than A in 2 of 3 figures, at most 1.8x: figure 1.",
        "B is faster than A in 1 of 3 figures, at most 2.0x: figure 2.",
    ]


def test_what_is_undecided_says_what_would_tell():
    found = comparison_sentences(
        comparison(("same", 1.01, None), ("cannot tell", 1.2, 8), ("cannot tell", 1.1, 12)),
        "A",
        "B",
    )
    assert found == [
        "1 figure is the same within 5 %.",
        "2 figures are undecided.",
        "Measure 12 launches of each to decide them.",
    ]


def test_what_would_take_hundreds_of_launches_is_not_asked_for():
    undecided = [("cannot tell", 1.2, 8), ("cannot tell", 1.001, 976), ("cannot tell", 1.0, None)]
    assert comparison_sentences(comparison(*undecided), "A", "B") == [
        "3 figures are undecided.",
        "Measure 8 launches of each to decide 1 of them.",
    ]
    assert comparison_sentences(comparison(undecided[1]), "A", "B") == ["1 figure is undecided."]


def test_nothing_in_common_is_said():
    assert comparison_sentences(comparison(), "A", "B") == ["B and A have no figure in common."]


def test_an_interval_that_says_nothing_is_none():
    assert interval_text(0.00065, 1000.0, none="no interval") == "no interval"
    assert interval_text(0.5, 2.0) == "0.5000 - 2.000"
