"""The answer of `watch`: one line for mail and chat, then the comparison with the past."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from leadline.analysis.compare.compare import failures
from leadline.analysis.compare.history import Dated, Watched, watch
from leadline.cli.answer import ANSWER_FORMAT
from leadline.cli.output import write
from leadline.core.units import count, times
from leadline.exchange.exports.prometheus import night_text
from leadline.model.comparison import Compared, Difference, Gate, Verdict
from leadline.model.watched import WatchedFigure, WatchedNight
from leadline.output.terminal.comparison import print_comparison, print_failures, print_turns
from leadline.output.terminal.text import printable


class Asked(NamedTuple):
    """What the user wants to know, how it is printed, and where it is written for Prometheus."""

    within: float
    gates: tuple[Gate, ...]
    history: int
    confirm: bool
    as_json: bool
    summary: bool
    prometheus: Path | None = None
    plan: str = ""


def report_night(
    night: WatchedNight,
    past: Sequence[Dated],
    new: Dated,
    between: Sequence[Difference],
    asked: Asked,
) -> int:
    """Print what became of the figures, and return 1 where one is slower for sure or a gate holds.

    Without gates, figures are slower for sure only where somebody measured again, or where nights
    of another program say the same.
    """
    if asked.prometheus:
        _write_gauges(night, asked.prometheus, asked.plan)
    if not past or not new.points:
        said = "no figures" if past else "history begins: no earlier run was asked for the same"
        if asked.as_json:
            empty = {"format": ANSWER_FORMAT, "run": new.name, "past": [], "night": night}
            click.echo(msgspec.json.encode(empty))
        else:
            click.echo(f"{printable(new.name)}: {said}")
        return 0
    found = watch(past, new, asked.within)
    if any(each.said != "learning" for each in night.figures):
        found = _as_said(found, night)
    failed = failures(found.comparison, asked.gates)
    if asked.as_json:
        whole = {
            "format": ANSWER_FORMAT,
            "run": new.name,
            "past": [figures.name for figures in past],
            "night": night,
            "comparison": found.comparison,
            "turns": found.turns,
            "differences": between,
            "failures": failed,
        }
        click.echo(msgspec.json.encode(whole))
    else:
        click.echo(printable(night.summary))
        if not asked.summary:
            _print_again(night)
            print_comparison(found.comparison, between, only_changed=True, option="--json")
            print_turns(found.turns)
    print_failures(failed, sys.stderr)
    alarm = bool(night.slower) and not asked.gates
    return 1 if failed or (alarm and (asked.confirm or not new.points[0].samples)) else 0


def _write_gauges(night: WatchedNight, path: Path, plan: str) -> None:

    text = night_text(night, plan).encode()
    write(str(path), lambda stream: stream.write(text))


def _as_said(found: Watched, night: WatchedNight) -> Watched:
    """Return the comparison with the verdicts of the nights: these know what was measured again."""
    by_name = {each.name: each for each in night.figures}
    figures = tuple(
        _with_verdict(figure, by_name.get(figure.name)) for figure in found.comparison.figures
    )
    changed = {each.name for each in figures if each.verdict in ("slower", "faster")}
    turns = tuple(turn for turn in found.turns if turn.run or turn.figure in changed)
    comparison = msgspec.structs.replace(found.comparison, figures=figures)
    return Watched(comparison, turns)


def _with_verdict(figure: Compared, said: WatchedFigure | None) -> Compared:
    if said is None or said.said == "learning":
        return figure
    verdict: Verdict = figure.verdict
    if said.said in ("slower", "faster"):
        verdict = "slower" if said.said == "slower" else "faster"
    elif verdict in ("slower", "faster"):
        verdict = "cannot tell"
    return msgspec.structs.replace(figure, verdict=verdict)


def _print_again(night: WatchedNight) -> None:
    """Print a line for each figure that was measured again."""
    words = {"slower": "confirmed", "noise": "not confirmed (noise)", "open": "open"}
    for each in night.figures:
        if each.fresh_ratio is None or each.said not in words:
            continue
        line = (
            f"  {each.name}: {words[each.said]}: {times(each.ratio)} tonight, "
            f"{times(each.fresh_ratio)} in {count(each.fresh_launches, 'fresh launch')}"
        )
        if each.old_ratio is not None:
            line += f"; {times(each.old_ratio)} of {each.old_mpi}, measured in turn"
        click.echo(printable(line))
    if night.slow_launches:
        spells = count(night.slow_launches, "launch")
        click.echo(f"  {spells} met a slow spell of the whole machine: not counted")
