"""No two sentences of a screen contradict, and the verdict is the one that was declared.

`LEADLINE_STORES=1000` tries so many surveys in place of a few.
"""

import io
import os
import re

import pytest
from random_survey import survey

from leadline.analysis.findings.conclude import conclude
from leadline.analysis.verdict import verdict_of
from leadline.output.terminal.summary import print_summary

STORES = int(os.environ.get("LEADLINE_STORES", "16"))
FASTER = re.compile(
    r"(?P<what>[^:]+): (?P<winner>\S+) is [\dx. to]+faster(?: \([^)]*\))? than (?P<loser>\S+?)"
    r"(?: at (?P<sizes>[^,;:]+))?(?:[,;]| \(|\.? |\.?$)"
)
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20}


@pytest.fixture(scope="module")
def stores():
    found = []
    for seed in range(STORES):
        made = survey(seed)
        analysis = conclude(made.run, made.samples)
        stream = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", "80")
            print_summary(made.run, analysis, stream)
        found.append((made, analysis, verdict_of(made.run, analysis), stream.getvalue()))
    return found


def claims(text):
    """Yield what a text says is faster: the subject, the faster one, the slower one, the sizes."""
    for said in FASTER.finditer(" ".join(text.split())):
        yield said["what"], said["winner"], said["loser"], spans(said["sizes"] or "")


def spans(text):
    """Return ranges of bytes as `8 B to 4 KiB and 1 MiB` has them.

    >>> spans("8 B to 4 KiB and 1 MiB")
    [(8, 4096), (1048576, 1048576)]
    """
    found = []
    for part in re.split(r" and |, ", text):
        sizes = [int(n) * UNITS[unit] for n, unit in re.findall(r"(\d+) (B|KiB|MiB)\b", part)]
        if sizes:
            found.append((sizes[0], sizes[-1]))
    return found


def meet(one, other):
    return not one or not other or any(a <= d and c <= b for a, b in one for c, d in other)


def test_a_screen_is_one_screen(stores):
    for made, _, _, text in stores:
        lines = text.splitlines()
        # A command is never broken.
        said = [line for line in lines if not line.startswith("     leadline ")]
        assert max(map(len, said)) <= 80, made.run.run
        assert len(lines) <= 24, made.run.run


def test_no_part_of_a_bound_is_above_it(stores):
    told = 0
    for made, _, _, text in stores:
        parts = [int(n) for n in re.findall(r"(\d+) % of (?!the samples)", text)]
        assert all(part <= 100 for part in parts), made.run.run
        told += len(parts)
    assert told > STORES / 2


def test_no_two_sentences_contradict(stores):
    told = 0
    for made, analysis, verdict, text in stores:
        every = [claim for finding in analysis.findings for claim in claims(finding.text)]
        every += claims(text.partition("Improve")[2].partition("\n\n")[0])
        told += len(every)
        for what, winner, loser, sizes in every:
            against = [
                each for each in every
                if each[:3] == (what, loser, winner) and meet(each[3], sizes)
            ]  # fmt: skip
            assert not against, (made.run.run, what, winner, loser, against)
            named = "Latency" if what == "Ping-pong" else what
            for headline in verdict.headlines:
                name, _, size = headline.title.partition(", ")
                if named == name and meet(spans(size), sizes):
                    best = [value.mpi for value in headline.values if value.best]
                    assert loser not in best, (made.run.run, headline.title, what, winner)
        mpis = {each.name for each in made.run.installations}
        for headline in verdict.headlines:
            assert not (headline.values[0].best and headline.ahead in mpis)
    assert told > STORES


def test_the_verdict_is_the_declared_one(stores):
    grades = [(made.run.run, made.grade, verdict.standing.grade) for made, _, verdict, _ in stores]
    wrong = [each for each in grades if each[2] not in (each[1], "unclear")]
    assert not wrong
    assert sum(declared == found for _, declared, found in grades) >= 0.95 * len(grades)
    assert len({declared for _, declared, _ in grades}) == 4
