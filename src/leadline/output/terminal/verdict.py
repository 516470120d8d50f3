"""The verdict for people: one screen that answers before it explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from leadline.analysis.compare.interference import interference_text
from leadline.core.units import count
from leadline.model.run import Run
from leadline.model.verdict import Headline, Trust, Verdict
from leadline.output.first_screen import (
    NO_ACTION,
    has_several_mpis,
    headline_table,
    mpi_tables,
    of_no_mpi,
    rate_texts,
    usual_text,
)
from leadline.output.terminal.findings import wrapped
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import printable

# A terminal as it is opened shows so many lines.
_LINES = 24
# The labels of the first lines, which are followed by two blanks.
_LABEL = 10
_NUMBER = 3
_STARRED = "* surely the best of these"
_WITHOUT_INTERVAL = "no ±: too few independent samples for an interval"
_GIVES_ONE = "; --launches 6 gives one"
_GRADES = {
    "good": "green",
    "fair": "yellow",
    "poor": "bold red",
    "unclear": "yellow",
    "unknown": "dim",
}


class Block(NamedTuple):
    """Lines of a screen that belong together; those with a `spare` may go, the largest first."""

    lines: list[Text]
    spare: int = 0


def print_verdict(
    console: Console, verdict: Verdict, *, taken: int = 0, full: bool = False, again: bool = True
) -> None:
    """Print the answer, what to do with its commands, how far to trust it, and the figures.

    A screen has 24 lines, of which `taken` are not for this. With `full` nothing is left out. What
    cannot be measured `again`, such as an import, has no advice to do so.
    """
    blocks = list(_blocks(verdict, console.width, full=full, again=again))
    while not full and sum(len(each.lines) for each in blocks) > _LINES - taken:
        spare = max(blocks, key=lambda each: each.spare)
        if not spare.spare:
            break
        blocks.remove(spare)
    print_lines(console, [line for each in blocks for line in each.lines])


def print_lines(console: Console, lines: Sequence[Text]) -> None:
    """Print lines that are as wide as they may be, and commands, which are never broken."""
    for line in lines:
        console.print(line, soft_wrap=True)


def _blocks(verdict: Verdict, width: int, *, full: bool, again: bool) -> Iterator[Block]:
    standing, trust = verdict.standing, verdict.trust
    yield Block(labelled("Verdict", standing.text, width, standing.grade))
    yield from _actions(verdict, width)
    yield Block(labelled("Trust", trust.text, width, trust.grade))
    if not verdict.headlines:
        return
    yield Block([Text()])
    values = [value for each in verdict.headlines for value in each.values]
    mixed = {value.low is not None for value in values} == {True, False}
    if not has_several_mpis(verdict.headlines):
        yield Block(draw(headline_table(verdict.headlines), width))
        starred = False
    else:
        tables = mpi_tables(verdict.headlines)[: None if full else 1]
        drawn = [draw(table, width) for table in tables]
        for at, lines in enumerate(drawn):
            yield Block([*([Text()] if at else []), *lines])
        starred = any("*" in line.plain for lines in drawn for line in lines)
        cells = [text for table in tables for row in table.rows for text in row.cells[1:] if text]
        mixed = mixed and any("±" not in text for text in cells if text != "unclear")
        machine = of_no_mpi(verdict.headlines)
        if machine:
            yield Block(labelled("Machine", "; ".join(machine), width), spare=2)
    yield from _legend(verdict.headlines, width, starred=starred)
    if mixed:
        without = _WITHOUT_INTERVAL + (_GIVES_ONE if again else "")
        yield Block([Text(line, "dim") for line in wrapped(without, width)], spare=3)


def _legend(headlines: Sequence[Headline], width: int, *, starred: bool) -> Iterator[Block]:
    """Yield what the figures of several MPIs are set against, and what their marks mean."""
    several = has_several_mpis(headlines)
    told = [_STARRED] if starred else []
    told += [usual_text(each) for each in headlines if each.usual and several]
    if told:
        yield Block([Text(line, "dim") for line in wrapped("; ".join(told), width)])
    if rates := rate_texts(headlines):
        yield Block([Text(line, "dim") for line in wrapped("; ".join(rates), width)], spare=1)


def _actions(verdict: Verdict, width: int) -> Iterator[Block]:
    """Yield what costs most, an action each: the first stays where there is little room."""
    if not verdict.actions:
        if verdict.headlines:
            yield Block(labelled("Improve", NO_ACTION, width))
        return
    printed: set[str] = set()
    label = "Improve" if verdict.actions[0].gain else "Problem"
    for at, action in enumerate(verdict.actions):
        numbered = f"{at + 1:<{_NUMBER}}" if len(verdict.actions) > 1 else ""
        room = width - _LABEL - len(numbered)
        texts = wrapped(action.short, room)
        lines = [
            Text(f"{'' if at or n else label:{_LABEL}}", "bold").append(
                f"{'' if n else numbered:{len(numbered)}}{text}", "not bold"
            )
            for n, text in enumerate(texts)
        ]
        # What several actions end with is told with the first.
        commands = [command for command in action.commands if command not in printed]
        printed.update(commands)
        lines += [Text(f"     {printable(command)}", "cyan") for command in commands]
        yield Block(lines, spare=3 + at if at else 0)


def after(run: Run, verdict: Verdict, findings: int, width: int) -> list[Text]:
    """Return who else used the machine, what to do next, and where all figures and findings are."""
    lines = [Text()]
    if others := interference_text(run):
        first, *more = others.split("; ")
        counted = f"; {len(more)} more" if more else ""
        lines += labelled("Also ran", f"{first}{counted}", width)
    ended = run.outcome.state == "complete" or run.imported
    if ended and verdict.next_command:
        lines.append(_command("Next", verdict.next_command, verdict.next.rstrip(":")))
    counted = count(findings, "finding") if findings else "all figures"
    return [*lines, _command("All", f"leadline show {run.run} --full", counted)]


def print_trust(console: Console, run: Run, trust: Trust) -> None:
    """Print the grade, its reasons, and who else used the machine."""
    lines = labelled("Trust", trust.text, console.width, trust.grade)
    if others := interference_text(run):
        lines += labelled("Also ran", others, console.width)
    print_lines(console, lines)


def labelled(label: str, text: str, width: int, grade: str = "") -> list[Text]:
    """Return the lines of a text behind its label and its grade."""
    lines = []
    for at, line in enumerate(wrapped(f"{grade}: {text}" if grade else text, width - _LABEL)):
        shown = Text(f"{'' if at else label:{_LABEL}}", "bold").append(line, "not bold")
        if grade and not at:
            shown.stylize(_GRADES[grade], _LABEL, _LABEL + len(grade))
        lines.append(shown)
    return lines


def _command(label: str, command: str, purpose: str = "") -> Text:
    """Return a command behind its label, to be copied whole: what it does is a comment."""
    shown = Text(f"{label:{_LABEL}}", "bold").append(printable(command), "not bold cyan")
    return shown.append(f"  # {purpose}" if purpose else "", "not bold dim")
