"""What `benchmarks/hangs` makes of answers: which are right, and which came in time."""

import re
from pathlib import Path

import comparison
from comparison.hang_table import HANGS, Answer
from comparison.hangs import line_of, lines

from leadline.core.plugins import modules_of

RIGHT = Answer("wrong tag", "mpich-5", True, "wrong_tag", (), True, 1.7, "Rank 0 sends.")
WRONG = RIGHT._replace(mpi="openmpi-5", verdict="moves", right=False, text="not stuck")
OUTSIDE = RIGHT._replace(hang="stopped rank", explained=False, verdict="stopped", seconds=3.5)


def test_the_table_has_each_hang_and_the_sums():
    assert list(lines([RIGHT, WRONG, OUTSIDE])) == [
        "| hang | mpich-5 | openmpi-5 |",
        "|---|---|---|",
        "| wrong tag | wrong_tag | moves (wrong) |",
        "| stopped rank, without leadline | stopped |  |",
        "| right | 2 of 2 | 0 of 1 |",
        "| within 3 s | 1 of 2 | 1 of 1 |",
    ]


def test_a_line_says_what_went_wrong():
    assert line_of(RIGHT) == "hangs: mpich-5, wrong tag: wrong_tag, 1.7 s, right"
    assert line_of(WRONG).endswith("moves, 1.7 s, WRONG: not stuck")
    assert line_of(OUTSIDE).endswith("stopped rank without leadline: stopped, 3.5 s LATE, right")


def test_at_least_thirty_hangs_are_injected_and_each_has_a_rule_and_a_function():
    rules = {name.rpartition(".")[2] for name in modules_of("leadline.stuck.verdicts")}
    assert {verdict for hang in HANGS for verdict in hang.verdicts} <= rules
    assert len({(hang.title, hang.explained) for hang in HANGS}) == len(HANGS) >= 30
    program = (Path(comparison.__file__).parent / "programs/hangs.c").read_text()
    ways = set(re.findall(r"WAY\((\w+)\)", program))
    assert {hang.way for hang in HANGS} <= ways


def test_some_hangs_are_asked_for_without_leadline():
    assert sum(not hang.explained for hang in HANGS) >= 3
