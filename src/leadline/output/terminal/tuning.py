"""A tuning for people: what is gained where, what was dropped and why, what was written."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.text import Text

from leadline.core.units import count, format_bytes, format_figure, precise_times, times
from leadline.model.profile import LIBRARY, Profile
from leadline.model.tuning import DISTURBED, Left, Trial, TunedSettings, Tuning, Verdict
from leadline.output.table import Table, number, table_of, without_empty_columns, words
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.text import console_for, printable
from leadline.output.words import times_interval, verdicts_text


def print_tuning(tuning: Tuning, file: TextIO | None = None) -> None:
    """Print it on `file` (default: stdout), in colour only on a terminal."""
    console = console_for(file)
    console.print(Text(printable(f"{tuning.mpi} on {tuning.machine}"), style="bold"))
    kept = [verdict for verdict in tuning.verdicts if verdict.kept]
    chosen = [verdict for verdict in tuning.verdicts if verdict.trial.choice != LIBRARY]
    dropped = [verdict for verdict in chosen if not verdict.kept and _is_tried(verdict)]
    untried = [verdict for verdict in chosen if not verdict.kept and not _is_tried(verdict)]
    if kept:
        console.print(Text("\nFaster, proved in fresh processes:"))
        console.print(Drawn(_table(kept), ruled=False))
    if dropped:
        console.print(Text("\nDropped:", style="yellow"))
        console.print(Drawn(_table(dropped, why=True), ruled=False))
    if untried:
        these = f"{count(len(untried), 'choice')} {'was' if len(untried) == 1 else 'were'}"
        text = (
            f"\n{these} not held against the library in launches enough: neither kept nor dropped."
        )
        console.print(Text(text, style="yellow"))
    for line in _outcomes(tuning):
        console.print(Text(printable(line)))
    if tuning.settings:
        console.print(Text("\nSettings of the library, one at a time, over all sizes:"))
        console.print(Drawn(_raced_table(tuning.settings), ruled=False))
        if tuning.settings.verdicts:
            proved = "\nAll that won together, in fresh processes, size by size:"
            console.print(Text(proved))
            console.print(Drawn(_table(tuning.settings.verdicts, of="benchmark"), ruled=False))
    for line in _lines(tuning, len(kept), len(chosen)):
        console.print(Text(printable(line)))


def _raced_table(settings: TunedSettings) -> Table:
    columns = ("setting", "value", number("gain"), "95 %", "outcome", words("about"))
    rows = (
        (
            raced.setting,
            raced.value,
            "-" if math.isnan(raced.gain) else times(raced.gain),
            "-" if math.isnan(raced.gain) else times_interval(raced.gain_low, raced.gain_high),
            raced.outcome,
            raced.about,
        )
        for raced in settings.raced
    )
    return table_of(columns, rows)


def _is_tried(verdict: Verdict) -> bool:
    return not (math.isnan(verdict.gain) and verdict.trial.verified)


def _table(verdicts: Sequence[Verdict], of: str = "collective", why: bool = False) -> Table:
    """Return a row for each verdict; the name of what was measured is `of` such a thing.

    The algorithm is shown of collectives alone, and with `why` the reason too.
    """
    columns = (
        of,
        "place",
        number("size"),
        number("library us"),
        "algorithm",
        number("us"),
        number("gain"),
        "95 %",
        words("why"),
    )
    rows = (
        (
            verdict.trial.collective,
            _place(verdict.trial),
            format_bytes(verdict.trial.bytes or None),
            format_figure(verdict.without_us),
            verdict.trial.choice if of == "collective" else "",
            format_figure(verdict.with_us),
            precise_times(verdict.gain),
            f"{precise_times(verdict.gain_low)[:-1]} to {precise_times(verdict.gain_high)}",
            verdict.reason if why else "",
        )
        for verdict in verdicts
    )
    return without_empty_columns(table_of(columns, rows))


def _outcomes(tuning: Tuning) -> Iterator[str]:
    """Yield for each collective and placement where it gains, where it loses, and what is open."""
    found: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for left in tuning.left:
        outcome = "cannot tell" if left.undecided else LIBRARY
        found[left.collective, _place(left)][left.bytes] = outcome
    for verdict in tuning.verdicts:
        trial, slower = verdict.trial, verdict.gain_high < 1
        # Of what is left as it is, only a loss is news: what is chosen elsewhere caused it.
        if trial.choice != LIBRARY or slower:
            outcome = "faster" if verdict.kept else "slower" if slower else "cannot tell"
            found[trial.collective, _place(trial)][trial.bytes] = outcome
    if any(len(by_size) > 1 for by_size in found.values()):
        yield ""
    for (collective, place), by_size in found.items():
        if len(by_size) > 1:
            yield f"{collective} on {place}: {verdicts_text(by_size)}"


def _place(where: Trial | Left) -> str:
    return f"{where.nodes}x{where.processes // where.nodes}"


def _lines(tuning: Tuning, kept: int, chosen: int) -> list[str]:
    lines = [""]
    if tuning.kind != "settings":
        sizes = f"{kept} of {count(chosen, 'choice')} kept"
        if tuning.library_best:
            best = count(tuning.library_best, "size")
            sizes += f"; nothing is faster than the library's own at {best}"
        if unclear := sum(left.undecided for left in tuning.left):
            sizes += f"; unclear at {count(unclear, 'size')}"
        lines.append(sizes)
    if tuning.settings:
        lines += [
            f"{each.setting}={each.value} breaks programs: {each.broken}"
            for each in tuning.settings.raced
            if each.broken
        ]
        lines.append(_settings_line(tuning.settings))
    if tuning.undecided:
        lines.append(
            f"{count(tuning.undecided, 'size')} undecided when the time was over: add --resume, or "
            "more --seconds"
        )
    if disturbed := sum(verdict.reason == DISTURBED for verdict in tuning.verdicts):
        lines.append(
            f"{count(disturbed, 'choice')} met a disturbed machine: `leadline tune --resume` tries "
            f"{'it' if disturbed == 1 else 'them'} again"
        )
    if tuning.state == "interrupted":
        interrupted = "interrupted: `leadline tune --resume` goes on with what was measured"
        lines.append("interrupted" if tuning.kind == "settings" else interrupted)
    lines += [f"written: {file}" for file in tuning.files]
    if tuning.use and (kept or (tuning.settings and tuning.settings.kept)):
        lines.append(f"now: {tuning.use}")
    return lines


def _settings_line(settings: TunedSettings) -> str:
    names = ", ".join(settings.chosen)
    if settings.kept:
        return (
            f"messages are {times(settings.gain)} faster with {names} (95 %: "
            f"{times_interval(settings.gain_low, settings.gain_high)}), and slower at no size "
            "for sure"
        )
    if not settings.chosen:
        other = "other " if any(each.broken for each in settings.raced) else ""
        return f"no {other}setting of the library beat its default for sure: all stay as they are"
    return f"settings stay as they are: {names} did not prove to be better ({settings.reason})"


def print_profile(profile: Profile, file: TextIO | None = None) -> None:
    """Print what a profile chooses on `file` (default: stdout)."""
    console = console_for(file)
    title = f"{profile.library} on {profile.machine}"
    console.print(Text(printable(title), style="bold"))
    numbers = map(number, ("nodes", "processes", "from", "to"))
    rows = (
        (
            rule.collective,
            _or_any(rule.nodes),
            _or_any(rule.processes),
            format_bytes(rule.from_bytes),
            "any" if rule.to_bytes is None else format_bytes(rule.to_bytes),
            rule.algorithm,
            times(min(row.least_gain for row in rule.measured)) if rule.measured else "-",
        )
        for rule in profile.rule
    )
    table = table_of(("collective", *numbers, "algorithm", number("least gain")), rows)
    if profile.rule or not profile.setting:
        console.print(Drawn(table, ruled=False))
    if not profile.setting:
        return
    console.print(Text("\nPrograms are started with these settings, unless they are set already:"))
    settings = ((each.variable, each.value, each.about) for each in profile.setting)
    console.print(Drawn(table_of(("variable", "value", words("about")), settings), ruled=False))
    if profile.settings_gain:
        gain, low, high = profile.settings_gain
        console.print(Text(f"messages {times(gain)} faster (95 %: {times_interval(low, high)})"))
    measured = (
        (
            effect.benchmark,
            str(effect.nodes),
            str(effect.processes),
            format_bytes(row.bytes),
            format_figure(row.library_us),
            format_figure(row.algorithm_us),
            times(row.least_gain),
        )
        for effect in profile.effect
        for row in effect.measured
    )
    figures = map(
        number, ("nodes", "processes", "size", "library us", "with them us", "least gain")
    )
    console.print(Drawn(table_of(("benchmark", *figures), measured), ruled=False))


def _or_any(count: int | None) -> str:
    return "any" if count is None else str(count)
