"""The vocabulary holds for all that a rule says of itself, and finds what is not plain.

Each finding that any test here makes is held by `plain_findings`.
"""

import pytest
from wording import faults, faults_of

from leadline.analysis.findings.kinds import RULES, kinds
from leadline.model.summary import Finding


@pytest.mark.parametrize("kind", kinds())
def test_a_rule_explains_itself_in_plain_words(kind) -> None:
    one = RULES[kind]
    texts = [one.definition, one.cure, *one.evidence.values()]
    assert {text: list(faults(text)) for text in texts if list(faults(text))} == {}
    assert one.definition.endswith(".") and one.cure[-1:] in ("", ".")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("It takes 0.5 times as long.", "says 'times as'"),
        ("So it is at 8 B.", "says 'So it is at'"),
        ("Others ran beside it.", "says 'Others'"),
        ("It goes back to a rank.", "says 'goes back to'"),
        (" ".join(["word"] * 26) + ".", "has a sentence of 26 words"),
        ("The period is 208.548 ms.", "has the figure 208.548 of 6 digits"),
        ("It became 9614x faster.", "has the figure 9614 of 4 digits"),
        ("A share of 1e-05 is lost.", "is no clean sentence"),
    ],
)
def test_what_is_not_plain_is_found(text, fault) -> None:
    assert fault in list(faults(text))


@pytest.mark.parametrize(
    "text",
    [
        "mpich-5.0.2 on 1x2 takes 9610x the 1200 MB/s of 10000 repetitions (11.5 %).",
        "One. " * 30 + "End.",
    ],
)
def test_names_and_short_sentences_are_plain(text) -> None:
    assert list(faults(text)) == []


@pytest.mark.parametrize(
    ("advice", "command", "fault"),
    [
        ("Run `leadline check`.", None, "advice has a command"),
        ("Use --launches 10.", None, "advice has a command"),
        ("Run leadline check.", None, "advice has a command"),
        ("end it", None, "advice is no sentence"),
        (None, "`leadline check`", "command is no command line"),
    ],
)
def test_advice_is_a_sentence_and_a_command_apart(advice, command, fault) -> None:
    finding = Finding(
        severity="fact", text="It is.", evidence={"a_s": 1.0}, advice=advice, command=command
    )
    assert fault in list(faults_of(finding))
    assert "evidence a_s is not explained" in list(faults_of(finding, {"b_s": "b"}))
