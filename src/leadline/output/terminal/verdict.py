"""The verdict for people: one screen that answers before it explains."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from leadline.analysis.compare.interference import interference_text
from leadline.core.units import count, number, percent
from leadline.model.run import Run
from leadline.model.verdict import Action, Headline, Trust, Verdict
from leadline.output.first_screen import (
    ACTIONS_HEADING,
    faster_text,
    has_several_mpis,
    headline_table,
    short_lines,
    usual_text,
)
from leadline.output.terminal.findings import print_cure, print_item, wrapped
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.text import printable

# The labels of the first lines, which are followed by two blanks.
_LABEL = 10
_WITHOUT_INTERVAL = "no ±: too few independent samples for an interval; --launches 6 gives one"
_GRADES = {"good": "green", "fair": "yellow", "poor": "bold red", "unknown": "dim"}


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Print the answer in a few lines, then the figures, and what to do with its commands."""
    print_short(console, verdict)
    if verdict.headlines:
        # Of several MPIs the comparisons are lines below: there is no room for both.
        several = has_several_mpis(verdict.headlines)
        shown = headline_table(verdict.headlines, comparisons=not several)
        console.print()
        console.print(Drawn(shown, ruled=False))
        known = {value.low is not None for each in verdict.headlines for value in each.values}
        if True in known:
            console.print("± half the 95 % interval; * surely the best", style="dim")
        if known == {True, False}:
            console.print(_WITHOUT_INTERVAL, style="dim")
        usual = [f"{usual_text(each)}." for each in verdict.headlines if each.usual]
        for line in [*(_comparisons(verdict.headlines) if several else ()), *usual]:
            print_item(console, "", line)
    _print_actions(console, verdict.actions)


def print_after(console: Console, run: Run, verdict: Verdict, findings: int) -> None:
    """Print who else used the machine, what to do next, and where all figures and findings are."""
    console.print()
    if others := interference_text(run):
        first, *more = others.split("; ")
        counted = f"; {len(more)} more" if more else ""
        print_labelled(console, "Also ran", f"{first}{counted}")
    ended = run.outcome.state == "complete" or run.imported
    if ended and verdict.next_command:
        _print_command(console, "Next", verdict.next_command, verdict.next.rstrip(":"))
    counted = count(findings, "finding") if findings else "all figures"
    _print_command(console, "All", f"leadline show {run.run} --full", counted)


def print_short(console: Console, verdict: Verdict) -> None:
    """Print whether the MPI is good, how far to trust the figures, and what costs most."""
    for line in short_lines(verdict):
        text = f"{line.text} ({line.more})" if line.more else line.text
        print_labelled(console, line.label, text, line.grade)
        print_cure(console, None, line.command)


def _comparisons(headlines: Sequence[Headline]) -> list[str]:
    rates = [
        f"{each.title}: {percent(each.beside.reached)} of {each.beside.text} "
        f"({number(each.beside.value)} {each.unit})."
        for each in headlines
        if each.beside and each.rate
    ]
    faster: dict[str, list[str]] = {}
    for each in headlines:
        if each.beside and not each.rate:
            gain = f"{each.title} {faster_text(each.beside)}".rstrip()
            faster.setdefault(each.beside.text, []).append(gain)
    ways = [f"Faster than the best of these is {way}: {'; '.join(o)}." for way, o in faster.items()]
    return [*rates, *ways]


def _print_actions(console: Console, actions: Sequence[Action]) -> None:
    if not actions:
        return
    console.print()
    console.print(ACTIONS_HEADING, style="bold")
    printed: set[str] = set()
    for position, action in enumerate(actions, 1):
        print_item(console, str(position), action.text, "bold")
        for command in action.commands:
            # What several actions end with is told with the first.
            if command not in printed:
                print_cure(console, None, command)
        printed.update(action.commands)


def print_trust(console: Console, run: Run, trust: Trust) -> None:
    """Print the grade, its reasons, and who else used the machine."""
    print_labelled(console, "Trust", trust.text, trust.grade)
    if others := interference_text(run):
        print_labelled(console, "Also ran", others)


def print_labelled(console: Console, label: str, text: str, grade: str = "") -> None:
    """Print a text behind its label and its grade."""
    said = f"{grade}: {text}" if grade else text
    for at, line in enumerate(wrapped(said, console.width - _LABEL)):
        shown = Text(f"{'' if at else label:{_LABEL}}", "bold").append(line, "not bold")
        if grade and not at:
            shown.stylize(_GRADES[grade], _LABEL, _LABEL + len(grade))
        console.print(shown)


def _print_command(console: Console, label: str, command: str, purpose: str = "") -> None:
    """Print a command behind its label, to be copied whole: what it does is a comment."""
    shown = Text(f"{label:{_LABEL}}", "bold").append(printable(command), "not bold cyan")
    console.print(shown.append(f"  # {purpose}" if purpose else "", "not bold dim"), soft_wrap=True)
