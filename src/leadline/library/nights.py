"""Nights of a plan: each judged against those before it, with what was measured again of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.analysis.compare.confirming import Yardsticks, choose, fresh_of, nights_of, spell_free
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.matching import match, names
from leadline.analysis.compare.nights import Follower, Night, Verdict
from leadline.analysis.results.summary import summarise
from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.analysis.stats.nightly import FEWEST_NIGHTS
from leadline.core.errors import UserError
from leadline.core.units import count, times
from leadline.exchange.imports.collect import import_files
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.model.watched import FollowedFigure, NightFigure, Nights, WatchedFigure, WatchedNight
from leadline.store.folder import RunFolder
from leadline.store.history import confirmations, on_the_same_nodes
from leadline.store.samples import StoredSamples

Known = tuple[RunFolder, Run]
# So many figures are named in the line that is made for mail and chat.
_NAMED = 2


class Followed(NamedTuple):
    """The newest run as a night, what is said of it, and the nights before it."""

    new: Dated
    night: Night
    verdict: Verdict
    earlier: int
    yardsticks: Yardsticks


def figures_of(known: Known) -> Dated:
    """Return the figures of a run."""
    folder, run = known
    return Dated(run.run, summarise(run, StoredSamples(folder)))


def follow_runs(
    past: Sequence[Dated],
    new: Dated,
    again: Mapping[str, Known],
    history: int,
    *,
    at_once: bool,
) -> Followed:
    """Judge every run in turn, the oldest first, with what was measured `again` by its name.

    `at_once` gives an alarm where nobody measured again, without a second night.
    """
    follower = Follower(history, at_once=at_once)
    *before, newest = nights_of(past, new)
    yardsticks = Yardsticks((*past, new))
    for night in before:
        known = again.get(night.name)
        follower.add(with_fresh(follower, night, known, new, yardsticks))
    newest = with_fresh(follower, newest, again.get(newest.name), new, yardsticks)
    return Followed(new, newest, follower.judge(newest), len(before), yardsticks)


def with_fresh(
    follower: Follower, night: Night, known: Known | None, new: Dated, yardsticks: Yardsticks
) -> Night:
    """Return the night with what the run `known` measured again, judged by what went before it."""
    if known is None:
        return night
    verdict = follower.judge(night)
    every = fresh_of(_own(figures_of(known).points, new), new, yardsticks)
    return night._replace(fresh=spell_free(verdict, night, choose(verdict, night), every))


def _own(points: Sequence[PointSummary], new: Dated) -> list[PointSummary]:
    """Return the figures of the software of the night, without the earlier one beside it."""
    mpis = {point.mpi for point in new.points}
    return [point for point in points if point.mpi in mpis]


def watched_night(
    found: Followed, confirmation: Known | None, *, confirmable: bool
) -> WatchedNight:
    """Return what is said of the newest run, and in one line.

    `confirmable` says whether what looks slower can be measured again.
    """
    named = names(found.new.points, {})
    fresh = figures_of(confirmation).points if confirmation else ()
    figures = []
    for key, told in found.verdict.figures.items():
        assert isinstance(key, int)
        old, ratio = _against_old(found.new.points[key], fresh)
        figures.append(
            WatchedFigure(
                name=named[key],
                said=told.said,
                ratio=told.ratio,
                chance=told.chance,
                since=told.since,
                fresh_ratio=told.fresh_ratio,
                fresh_launches=told.fresh_launches,
                old_mpi=old,
                old_ratio=ratio.median if ratio else None,
                old_low=ratio.interval.low if ratio and ratio.interval else None,
                old_high=ratio.interval.high if ratio and ratio.interval else None,
            )
        )
    machine = found.verdict.machine
    night = WatchedNight(
        summary="",
        figures=tuple(figures),
        machine_ratio=machine.factor,
        slow_launches=machine.slow_launches,
        measured_again=confirmation[1].run if confirmation else "",
    )
    line = _summary(night, found.earlier, confirmable)
    return msgspec.structs.replace(night, summary=f"{found.new.name}: {line}")


def _against_old(point: PointSummary, fresh: Sequence[PointSummary]) -> tuple[str, Ratio | None]:
    """Return the earlier software that was measured in turn, and the ratio to it."""

    def same(other: PointSummary) -> bool:
        return (
            (other.benchmark, other.series, other.bytes, other.axes, other.conditions)
            == (point.benchmark, point.series, point.bytes, point.axes, point.conditions)
        ) and (other.nodes, other.processes) == (point.nodes, point.processes)

    new = next((one for one in fresh if same(one) and one.mpi == point.mpi), None)
    old = next((one for one in fresh if same(one) and one.mpi != point.mpi), None)
    if new is None or old is None:
        return "", None
    return old.mpi, time_ratio(new, old)


def _summary(night: WatchedNight, earlier: int, confirmable: bool) -> str:
    slower = night.slower
    judged = [each for each in night.figures if each.said != "learning"]
    if not judged:
        if earlier < FEWEST_NIGHTS:
            return f"history begins: {count(earlier, 'earlier run')}, three are needed"
        return (
            f"history begins: fewer than three of {earlier} earlier runs met the machine at its"
            " usual speed"
        )
    said = []
    if slower:
        said.append(_slower_text(night))
    opened = [each for each in night.figures if each.said == "open"]
    if opened:
        how = "not sure yet" if confirmable else "the next night tells"
        looks = "looks" if len(opened) == 1 else "look"
        said.append(f"{_named(opened)} {looks} slower: {how}")
    if night.machine_ratio != 1 and not (slower and slower[0].since):
        way = "longer" if night.machine_ratio > 1 else "as long"
        said.append(
            f"most figures took {times(night.machine_ratio)} {way} tonight: the machine, not one"
            " figure"
        )
    noise = sum(each.said == "noise" for each in night.figures)
    if noise:
        said.append(f"{count(noise, 'figure')} looked slower and did not when measured again")
    unsteady = sum(each.said == "unsteady" for each in night.figures)
    if unsteady:
        looks = "looks slower and has" if unsteady == 1 else "look slower and have"
        said.append(
            f"{count(unsteady, 'figure')} {looks} no usual time: the nights differ too much"
        )
    faster = [each for each in night.figures if each.said == "faster"]
    if faster:
        said.append(f"faster: {_named(faster)}")
    if not said:
        return f"nothing is slower: {count(len(judged), 'figure')} against {earlier} earlier runs"
    return "; ".join(said)


def _slower_text(night: WatchedNight) -> str:
    worst = sorted(night.slower, key=lambda each: -each.ratio)
    since = f" since {worst[0].since}" if worst[0].since else ""
    how = ", confirmed" if worst[0].fresh_launches and not since else ""
    text = f"SLOWER{since}{how}: {_named(worst)}"
    if worst[0].old_ratio is not None:
        old = worst[0]
        assert old.old_ratio is not None
        least = old.old_low if old.old_low is not None else old.old_ratio
        cause = "the software" if least > 1 else "the machine, or not sure: the old one is as slow"
        text += f" ({times(old.old_ratio)} of {old.old_mpi} in turn: {cause})"
    return text


def _named(figures: Sequence[WatchedFigure]) -> str:
    shown = ", ".join(f"{each.name} {times(each.ratio)}" for each in figures[:_NAMED])
    more = len(figures) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


# So many earlier nights count, as `watch` has it.
HISTORY = 20


def last_nights(paths: Sequence[Path]) -> Nights:
    """Return the nights of the run folders `paths`, the oldest first, which lie beside each other.

    An alarm needs a second look where anything of these nights was measured again, as with
    `watch --confirm`, and none elsewhere. Raises `UserError` where no folder has figures.
    """
    known = [(folder, folder.read()) for folder in map(RunFolder, paths)]
    *earlier, newest = known
    kept = on_the_same_nodes(newest[1], earlier, FEWEST_NIGHTS)[-HISTORY:]
    dated = [each for each in map(figures_of, (*kept, newest)) if each.points]
    if not dated:
        raise UserError("no night has figures yet")
    *past, new = dated
    again = confirmations([each.name for each in dated], paths[-1].parent)
    follower = Follower(HISTORY, at_once=not again)
    nights = nights_of(past, new)
    yardsticks = Yardsticks(dated)
    verdicts = []
    for at, night in enumerate(nights):
        nights[at] = with_fresh(follower, night, again.get(night.name), new, yardsticks)
        verdicts.append(follower.add(nights[at]))
    followed = Followed(new, nights[-1], verdicts[-1], len(past), yardsticks)
    found: dict[int, list[NightFigure]] = {index: [] for index in range(len(new.points))}
    for run, verdict in zip(dated, verdicts, strict=True):
        for old, index in match(run.points, new.points).pairs:
            if told := verdict.figures.get(index):
                found[index].append(
                    NightFigure(
                        run=run.name,
                        said=told.said,
                        ratio=told.ratio,
                        figure=run.points[old],
                        fresh_ratio=told.fresh_ratio,
                        fresh_launches=told.fresh_launches,
                    )
                )
    named = names(new.points, {})
    return Nights(
        runs=tuple(each.name for each in dated),
        newest=watched_night(followed, again.get(new.name), confirmable=bool(again)),
        figures=tuple(
            FollowedFigure(name=named[index], nights=tuple(each))
            for index, each in found.items()
            if each
        ),
        machine_ratios={each.name: each.machine.factor for each in verdicts},
        measured_again={name: run.run for name, (_, run) in again.items()},
    )


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def imported_nights(patterns: Sequence[str]) -> list[Dated]:
    """Return the figures of the files that the patterns mean, by day, the oldest first.

    The day is that in the file, where it says one, else that of the file's time. Files of one day
    that have a figure in common are launches of it. Raises `UserError` where there are none.
    """
    asked = [Path(pattern) for pattern in patterns]
    paths = sorted({found for each in asked for found in each.parent.glob(each.name)})
    if not paths:
        raise UserError(f"no file is called {', '.join(patterns)}: name outputs of OSU, IMB, ...")
    days: dict[str, list[Path]] = {}
    for path in paths:
        days.setdefault(_day(path), []).append(path)
    nights = []
    for day in sorted(days):
        imported = import_files(days[day]).imported
        assert imported
        nights.append(Dated(day, imported.figures))
    return nights


def _day(path: Path) -> str:
    imported = import_files([path]).imported
    found = _DAY.search(imported.when if imported else "")
    if found:
        return found[0]
    return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
