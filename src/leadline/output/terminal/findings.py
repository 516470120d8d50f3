"""Findings for people, and what a kind of finding is."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.text import Text

from leadline.model.summary import Finding
from leadline.output.terminal.text import console_for, printable
from leadline.output.words import TOPICS

if TYPE_CHECKING:
    from leadline.analysis.findings.rule import Rule

_SEVERITY = {"problem": "bold red", "notice": "yellow", "fact": "cyan"}
_MARKS = {"problem": "!!", "notice": "!", "fact": ""}
_ALIKE = 3
_INDENT = "   "


def print_findings_of(
    subject: str, findings: Sequence[Finding], everything: bool, file: TextIO | None = None
) -> None:
    """Print the findings of a run or file under its name, by question.

    Of a kind that repeats itself the first three, or `everything`. On `file` (default: stdout), at
    most 100 columns wide.
    """
    console = console_for(file)
    console.print(Text(printable(subject), style="bold"))
    print_by_topic(console, findings, sys.maxsize if everything else _ALIKE)
    if not findings:
        console.print("No findings.")
    console.print()


def print_by_topic(console: Console, findings: Sequence[Finding], most: int = sys.maxsize) -> None:
    """Print findings under the questions that they answer, `most` of a kind."""
    for topic, question in TOPICS.items():
        own = [finding for finding in findings if finding.topic == topic]
        if own:
            console.print()
            console.print(question, style="bold")
            _print_kinds(console, own, most)


def print_finding(console: Console, finding: Finding) -> None:
    """Print a finding, its advice, and its command on a line that is never broken."""
    print_item(console, _MARKS.get(finding.severity, ""), finding.text, _SEVERITY[finding.severity])
    print_cure(console, finding.advice, finding.command)


def print_item(console: Console, mark: str, text: str, style: str = "") -> None:
    """Print a text behind its mark, with all its lines at the same column."""
    blank = " " * len(_INDENT)
    for line in wrapped(text, console.width - len(_INDENT)):
        console.print(
            Text(f"{mark:{len(blank)}}" if mark else blank, style).append(line, "default")
        )
        mark = ""


def print_cure(console: Console, advice: str | None, command: str | None) -> None:
    """Print what to do, and the command to copy."""
    for line in wrapped(advice or "", console.width - len(_INDENT)):
        console.print(Text(_INDENT + line, "dim"))
    if command:
        console.print(Text(f"{_INDENT}  {printable(command)}", "cyan"), soft_wrap=True)


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, whose words and names stay whole."""
    return textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False)


def _print_kinds(console: Console, findings: Sequence[Finding], most: int) -> None:
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.kind, []).append(finding)
    for kind, same in kinds.items():
        for finding in same[:most]:
            print_finding(console, finding)
        if len(same) > most:
            more = f"   {len(same) - most} more: --kind {kind}"
            console.print(more, style="dim", markup=False)


def print_explanation(one: Rule) -> None:
    """Print definition, evidence, cure and source of a kind."""
    console = console_for(None)
    console.print(Text.assemble((one.kind, "bold"), f"  ({TOPICS[one.topic]})"))
    console.print(Text(one.definition))
    for paragraph in filter(None, one.background.split("\n\n")):
        console.print(Text(" ".join(paragraph.split())))
    parts = {
        "Evidence": [f"  {name}: {meaning}" for name, meaning in one.evidence.items()],
        "What to do": [one.cure.replace("`", "")] if one.cure else [],
        "Source": [one.source] if one.source else [],
    }
    for heading, lines in parts.items():
        if lines:
            console.print(Text(f"\n{heading}", "bold"))
            console.print(Text("\n".join(lines)))


def print_kinds(every: Iterable[Rule]) -> None:
    """Print all kinds with their definitions, under the question that each answers."""
    console = console_for(None)
    known = list(every)
    for topic, question in TOPICS.items():
        console.print(Text(question, "bold"))
        for one in known:
            if one.topic == topic:
                console.print(Text(f"  {one.kind:22} {one.definition}"), soft_wrap=True)
