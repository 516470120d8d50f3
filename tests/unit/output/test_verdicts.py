"""The sizes of each verdict as a text."""

from wording import faults

from leadline.model.profile import LIBRARY
from leadline.output.words import verdicts_text


def test_each_verdict_is_told_in_plain_words():
    every = {8: "faster", 64: "slower", 512: "same", 4096: "cannot tell", 32768: LIBRARY}
    text = verdicts_text(every)
    assert text.split("; ") == [
        "faster at 8 B",
        "slower at 64 B",
        "the same at 512 B",
        "unclear at 4 KiB",
        "the library stays at 32 KiB",
    ]
    assert list(faults(f"{text}.")) == []


def test_the_words_that_it_had_are_not_plain():
    assert list(faults("faster at 8 B; cannot be told at 512 B.")) == ["says 'cannot be told'"]
