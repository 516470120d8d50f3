"""A comparison for people: the answer in sentences, then a table of ratios for each curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from leadline.core.units import count, format_figure
from leadline.model.comparison import (
    Compared,
    Comparison,
    Difference,
    Failure,
    Turn,
)
from leadline.model.summary import PointSummary
from leadline.output.compared import (
    CHANGED,
    comparison_sentences,
    comparison_table,
    names_left_out,
    outcome_text,
    verdict_counts,
)
from leadline.output.terminal.findings import print_cure, print_item
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.text import console_for, printable

_WORDS = {"slower": "slower", "faster": "faster", "same": "the same", "cannot tell": "unclear"}
_NAMED = 3
_SHORT = 24
_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def print_comparison(
    comparison: Comparison,
    differences: Sequence[Difference] = (),
    apart_s: float | None = None,
    *,
    only_changed: bool = False,
    option: str = "--full",
    file: TextIO | None = None,
) -> None:
    """Print one comparison on `file` (default: stdout), in colour only on a terminal.

    It begins with the answer. `apart_s` are the seconds between the two, where they were not
    measured at the same time. With `only_changed` the tables leave out what is neither faster nor
    slower; the command's `option` shows it.
    """
    console = console_for(file)
    title = Text(printable(comparison.other), style="bold")
    title.append(" against ", style="not bold").append(printable(comparison.base))
    console.print(title)
    for sentence in comparison_sentences(comparison, *_sides(comparison)):
        print_item(console, "", sentence)
    for difference in differences:
        words = f"differs: {difference.name}: {difference.base} -> {difference.other}"
        console.print(Text(printable(words), style="yellow"))
    for group in _groups(comparison.figures):
        shown = [each for each in group if not only_changed or each.verdict in CHANGED]
        if shown:
            _print_group(console, shown, outcome_text(group))
    hidden = sum(each.verdict not in CHANGED for each in comparison.figures) * only_changed
    if hidden:
        console.print()
        words = f"{count(hidden, 'figure')} the same or unclear: {option}"
        console.print(Text(words, style="dim"))
    _print_rest(console, comparison)
    console.print()
    console.print(Text(summary_line(comparison)))
    # Imports have no samples.
    if any(_shown_apart(each) and each.base.samples for each in comparison.figures):
        # Somebody who looks at both wonders about the difference.
        words = "Times are means over launches; `leadline show` prints medians of all samples."
        console.print(Text(words, style="dim"))
    if apart_s is not None and any(each.verdict in CHANGED for each in comparison.figures):
        words = (
            f"The two were measured {_duration(apart_s)} apart: a machine slower throughout one"
            " of them looks the same. Measure both in turn, or let `leadline watch` learn how"
            " runs differ."
        )
        console.print(Text(words, style="dim"))


def _sides(comparison: Comparison) -> tuple[str, str]:
    """Return what sentences call the base and the other: their names, where these are short."""
    names = printable(comparison.base), printable(comparison.other)
    return names if max(map(len, names)) <= _SHORT else ("the base", "The other run")


def _shown_apart(figure: Compared) -> bool:
    """Tell whether a time differs visibly from the median that a run shows."""
    sides = ((figure.base_s, figure.base.median_s), (figure.other_s, figure.other.median_s))
    return any(abs(level - median) > 0.005 * median for level, median in sides)


def print_settling(commands: Sequence[str], file: TextIO | None = None) -> None:
    """Print the commands that would tell what the comparison cannot."""
    console = console_for(file)
    for one in commands:
        sides = "" if "--until-sure" in one else " (run for either side)"
        print_cure(console, f"To decide what is unclear{sides}:", one)


def summary_line(comparison: Comparison) -> str:
    """Return how many figures have which verdict, and how much longer all take on the whole."""
    figures = comparison.figures
    if not figures:
        return "no figure is measured by both"
    counts = [
        f"{number} {_WORDS[verdict]}"
        + (f" within {100 * comparison.same_within:.3g} %" if verdict == "same" else "")
        for verdict, number in verdict_counts(comparison)
    ]
    mean = f"; geometric mean of the ratios {format_figure(comparison.geometric_mean)}"
    return f"{count(len(figures), 'figure')}: {', '.join(counts)}{mean}"


def print_turns(turns: Sequence[Turn], file: TextIO | None = None) -> None:
    """Print since which run figures are at another level, those of one run together."""
    console = console_for(file)
    by_run: dict[str, list[Turn]] = {}
    for turn in turns:
        by_run.setdefault(turn.run, []).append(turn)
    for run, together in by_run.items():
        named = [f"{turn.figure} ({format_figure(turn.ratio)} times)" for turn in together]
        since = f"since run {run}" if run else "with this run"
        console.print(Text(f"turned {printable(since)}: {_list_names(named)}", style="bold"))


def print_failures(failures: Sequence[Failure], file: TextIO) -> None:
    """Print a line for each gate that holds, which says for which figures."""
    for failure in failures:
        file.write(f"leadline: fails for {failure.gate}: {_list_names(failure.figures)}\n")


def _groups(figures: Sequence[Compared]) -> list[list[Compared]]:
    found: dict[object, list[Compared]] = {}
    for each in figures:
        found.setdefault((_curve(each.base), _curve(each.other)), []).append(each)
    for group in found.values():
        group.sort(key=lambda each: each.base.bytes or 0)
    return list(found.values())


def _curve(point: PointSummary) -> tuple[str, ...]:
    chosen = {name: str(value) for name, value in {**point.axes, **point.conditions}.items()}
    chosen.pop("bytes", None)
    place = f"{point.nodes}x{point.processes_per_node}"
    return (
        point.benchmark,
        point.series,
        point.mpi,
        place,
        *(f"{name}={value}" for name, value in sorted(chosen.items())),
    )


def _print_group(console: Console, group: Sequence[Compared], outcome: str) -> None:
    base, other = _curve(group[0].base), _curve(group[0].other)
    title = Text(printable(base[0]), style="bold")
    title.append(printable(f" {base[1].replace('_', ' ')}"), style="not bold")
    both = [word for word in base[2:] if word in other]
    own = [" ".join(word for word in side[2:] if word not in both) for side in (base, other)]
    across = [f"{own[1] or 'without'} against {own[0] or 'without'}"] if any(own) else []
    console.print()
    console.print(title)
    console.print(Text(printable(" · ".join([*across, *both])), style="dim"))
    console.print(Drawn(comparison_table(group), ruled=False))
    if outcome:
        console.print(Text(outcome))


def _print_rest(console: Console, comparison: Comparison) -> None:
    for reason, names in names_left_out(comparison):
        console.print()
        console.print(Text(printable(f"{reason}: {_list_names(names)}"), style="dim"))


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = "; ".join(printable(name) for name in names[:_NAMED])
    return f"{shown}; and {more} more" if more > 0 else shown


def _duration(seconds: float) -> str:
    size, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return count(round(seconds / size), unit)
