"""The answer to a question for people: the findings that answer, and whatever spoils them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TextIO

from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding
from leadline.output.terminal.console import console_for
from leadline.output.terminal.findings import print_finding
from leadline.output.terminal.summary import print_head
from leadline.output.terminal.text import printable


def print_answer(
    question: str,
    answers: Collection[int],
    run: Run,
    analysis: Analysis,
    file: TextIO | None = None,
) -> None:
    """Print the question, the findings with the indices `answers`, and every problem.

    On `file` (default: stdout), at most 100 columns wide.
    """
    from rich.text import Text

    console = console_for(file)
    console.print(Text(printable(question), style="bold"))
    for index in answers:
        print_finding(console, analysis.findings[index])
    if not answers:
        console.print(Text("\nThis run gives no answer."))
    for finding in _problems(analysis.findings, answers):
        print_finding(console, finding)
    console.print()
    print_head(console, run, analysis)
    console.print(f"every figure: leadline show {run.run}", markup=False, soft_wrap=True)


def _problems(findings: Sequence[Finding], answers: Collection[int]) -> list[Finding]:
    return [
        finding
        for index, finding in enumerate(findings)
        if finding.severity == "problem" and index not in answers
    ]
