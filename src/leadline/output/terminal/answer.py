"""The answer to a question for people: the answer, its figures, and how far to trust it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TextIO

from leadline.analysis.verdict import verdict_of
from leadline.core.errors import UserError
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding
from leadline.output.terminal.console import console_for
from leadline.output.terminal.findings import print_cure, print_finding, print_item
from leadline.output.terminal.summary import print_head
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.tables import TABLE_NAMES, run_table
from leadline.output.terminal.text import printable
from leadline.output.terminal.verdict import print_trust

if TYPE_CHECKING:
    from rich.console import Console

# Beside a table sentences only repeat it: the largest gains are told.
_TOLD = 3


def print_answer(
    question: Question,
    answers: Collection[int],
    run: Run,
    analysis: Analysis,
    file: TextIO | None = None,
) -> None:
    """Print the question, its table, the findings with the indices `answers`, and every problem.

    What would disqualify the answer stands below it: the grade of trust. On `file` (default:
    stdout), at most 100 columns wide.
    """
    from rich.text import Text

    console = console_for(file)
    console.print(Text(printable(question.text), style="bold"))
    known = question.table in TABLE_NAMES
    shown = known and _print_table(console, question.table, run, analysis)
    told = [analysis.findings[index] for index in answers]
    for finding in told[:_TOLD] if shown else told:
        print_finding(console, finding)
    if not told and not shown:
        print_item(console, "", "This run gives no answer.")
    for finding in _problems(analysis.findings, answers):
        print_finding(console, finding)
    console.print()
    print_trust(console, run, verdict_of(run, analysis).trust)
    console.print()
    print_head(console, run, analysis)
    print_cure(console, "All figures:", f"leadline show {run.run} --full")


def _print_table(console: Console, name: str, run: Run, analysis: Analysis) -> bool:
    """Print the table of that name, if the run fills it, and return whether it does."""
    try:
        filled = run_table(name, run, analysis)
    except UserError:
        return False
    for note in filled.notes:
        print_item(console, "", note)
    console.print()
    console.print(Drawn(filled, ruled=False))
    console.print()
    return True


def _problems(findings: Sequence[Finding], answers: Collection[int]) -> list[Finding]:
    return [
        finding
        for index, finding in enumerate(findings)
        if finding.severity == "problem" and index not in answers
    ]
