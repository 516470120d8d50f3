"""A tuning for people: what is gained where, what was dropped and why, what was written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from leadline.core.units import format_bytes, format_figure
from leadline.model.profile import LIBRARY, Profile
from leadline.model.tuning import Tuning, Verdict
from leadline.output.terminal.summary import console_for
from leadline.output.terminal.text import printable


def print_tuning(tuning: Tuning, file: TextIO | None = None) -> None:
    """Print it on `file` (default: stdout), in colour only on a terminal."""
    from rich.text import Text

    console = console_for(file)
    console.print(Text(printable(f"{tuning.mpi} on {tuning.machine}"), style="bold"))
    kept = [verdict for verdict in tuning.verdicts if verdict.kept]
    chosen = [verdict for verdict in tuning.verdicts if verdict.trial.choice != LIBRARY]
    dropped = [verdict for verdict in chosen if not verdict.kept]
    if kept:
        console.print(Text("\nFaster, proved in fresh processes:"))
        console.print(_table(kept))
    if dropped:
        console.print(Text("\nDropped, since it did not prove to be faster:", style="yellow"))
        console.print(_table(dropped, why=True))
    for line in _lines(tuning, len(kept), len(chosen)):
        console.print(Text(printable(line)))


def _table(verdicts: Sequence[Verdict], why: bool = False) -> object:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("collective", "place", "size", "library us", "algorithm", "us", "gain", "95 %")
    for name in (*columns, *(("why",) if why else ())):
        words = name in ("collective", "place", "algorithm", "95 %", "why")
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    for verdict in verdicts:
        trial = verdict.trial
        each = trial.processes // trial.nodes
        table.add_row(
            printable(trial.collective),
            f"{trial.nodes}x{each}",
            format_bytes(trial.bytes) if trial.bytes else "-",
            format_figure(verdict.without_us),
            printable(trial.choice),
            format_figure(verdict.with_us),
            f"{verdict.gain:.2f}",
            f"{verdict.gain_low:.2f} to {verdict.gain_high:.2f}",
            *((verdict.reason,) if why else ()),
        )
    return table


def _lines(tuning: Tuning, kept: int, chosen: int) -> list[str]:
    sizes = f"{kept} of {chosen} choices are kept"
    lines = ["", f"{sizes}; at {tuning.library_best} sizes the library's own is taken"]
    if tuning.undecided:
        lines.append(
            f"{tuning.undecided} sizes were undecided when the time was over: more --seconds, or "
            "--resume, decide more"
        )
    if tuning.state == "interrupted":
        lines.append("interrupted: `leadline tune --resume` goes on with what was measured")
    lines += [f"written: {file}" for file in tuning.files]
    return lines


def print_profile(profile: Profile, file: TextIO | None = None) -> None:
    """Print what a profile chooses on `file` (default: stdout)."""
    from rich.table import Table
    from rich.text import Text

    console = console_for(file)
    title = f"{profile.library} on {profile.machine}"
    console.print(Text(printable(title), style="bold"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("collective", "nodes", "processes", "from", "to", "algorithm", "least gain"):
        words = name in ("collective", "algorithm")
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    for rule in profile.rule:
        gains = [row.least_gain for row in rule.measured]
        table.add_row(
            printable(rule.collective),
            _or_any(rule.nodes),
            _or_any(rule.processes),
            format_bytes(rule.from_bytes),
            "any" if rule.to_bytes is None else format_bytes(rule.to_bytes),
            printable(rule.algorithm),
            f"{min(gains):.2f}" if gains else "-",
        )
    console.print(table)


def _or_any(count: int | None) -> str:
    return "any" if count is None else str(count)
