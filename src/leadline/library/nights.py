"""Nights of a plan: each judged against those before it, with what was measured again of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from glob import glob
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.analysis.compare.confirming import Yardsticks, choose, fresh_of, nights_of, spell_free
from leadline.analysis.compare.history import Dated, missing
from leadline.analysis.compare.matching import match, names
from leadline.analysis.compare.nights import Follower, Night, Verdict
from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.analysis.stats.nightly import FEWEST_NIGHTS
from leadline.core.errors import UserError
from leadline.core.names import by_numbers
from leadline.core.units import count, times
from leadline.exchange import analysis
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
    """The newest run as a night, the verdicts on it and on the nights before it, and their runs.

    `missing` names the figures that the run before it has and this one lacks.
    """

    new: Dated
    night: Night
    verdicts: Sequence[Verdict]
    earlier: int
    yardsticks: Yardsticks
    missing: Sequence[str] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the newest night."""
        return self.verdicts[-1]


def figures_of(known: Known) -> Dated:
    """Return the figures of a run."""
    folder, run = known
    return Dated(run.run, analysis.figures_of(run, StoredSamples(folder)))


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
    yardsticks = Yardsticks((*past, new))
    mpis = {point.mpi for point in new.points}
    verdicts = []
    for night in nights_of(past, new):
        if known := again.get(night.name):
            verdict = follower.judge(night)
            # Without the earlier software that was measured beside it.
            points = [point for point in figures_of(known).points if point.mpi in mpis]
            every = fresh_of(points, new, yardsticks)
            fresh = spell_free(verdict, night, choose(verdict, night), every)
            night = night._replace(fresh=fresh)
        verdicts.append(follower.add(night))
    return Followed(new, night, verdicts, len(verdicts) - 1, yardsticks, missing(past, new))


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
        interval = ratio.interval if ratio else None
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
                old_low=interval.low if interval else None,
                old_high=interval.high if interval else None,
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
    if found.missing:
        line += f"; not measured: {_some(found.missing)}"
    return msgspec.structs.replace(night, summary=f"{found.new.name}: {line}")


def _against_old(point: PointSummary, fresh: Sequence[PointSummary]) -> tuple[str, Ratio | None]:
    """Return the earlier software that was measured in turn, and the ratio to it."""

    def what(one: PointSummary) -> tuple[object, ...]:
        names = ("benchmark", "series", "bytes", "axes", "conditions", "nodes", "processes")
        return tuple(getattr(one, name) for name in names)

    same = [one for one in fresh if what(one) == what(point)]
    new = next((one for one in same if one.mpi == point.mpi), None)
    old = next((one for one in same if one.mpi != point.mpi), None)
    if new is None or old is None:
        return "", None
    return old.mpi, time_ratio(new, old)


def _summary(night: WatchedNight, earlier: int, confirmable: bool) -> str:
    slower = night.slower
    by_word: dict[str, list[WatchedFigure]] = {}
    for figure in night.figures:
        by_word.setdefault(figure.said, []).append(figure)
    judged = len(night.figures) - len(by_word.get("learning", ()))
    if not night.figures:
        return "no answer: no figure was measured"
    if not judged:
        if earlier < FEWEST_NIGHTS:
            return f"history begins: {count(earlier, 'earlier run')}, three are needed"
        return (
            f"history begins: fewer than three of {earlier} earlier runs met the machine at its"
            " usual speed"
        )
    parts = []
    if slower:
        parts.append(_slower_text(night))
    if opened := by_word.get("open"):
        how = "not sure yet" if confirmable else "the next night tells"
        looks = "looks" if len(opened) == 1 else "look"
        parts.append(f"{_named(opened)} {looks} slower: {how}")
    if night.machine_ratio != 1 and not (slower and slower[0].since):
        way = "longer" if night.machine_ratio > 1 else "as long"
        parts.append(
            f"most figures took {times(night.machine_ratio)} {way} tonight: the machine, not one"
            " figure"
        )
    if noise := by_word.get("noise"):
        parts.append(f"{count(len(noise), 'figure')} looked slower and did not when measured again")
    if unsteady := by_word.get("unsteady"):
        looks = "looks slower and has" if len(unsteady) == 1 else "look slower and have"
        number = count(len(unsteady), "figure")
        parts.append(f"{number} {looks} no usual time: the nights differ too much")
    if faster := by_word.get("faster"):
        parts.append(f"faster: {_named(faster)}")
    return "; ".join(parts) or (
        f"nothing is slower: {count(judged, 'figure')} against {earlier} earlier runs"
    )


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
    factors = [1 / each.ratio if 0 < each.ratio < 1 else each.ratio for each in figures]
    pairs = zip(figures, factors, strict=True)
    return _some([f"{each.name} {times(factor)}" for each, factor in pairs])


def _some(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_NAMED])
    more = len(texts) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


# So many earlier nights count, as `watch` has it.
HISTORY = 20


def last_nights(paths: Sequence[Path]) -> Nights:
    """Return the nights of the run folders `paths`, the oldest first, which lie beside each other.

    An alarm needs a second look where anything of these nights was measured again, as with
    `watch --confirm`, and none elsewhere. Raises `UserError` where no folder has figures.
    """
    known = [(folder, folder.read()) for folder in map(RunFolder, paths)]
    # A folder may have been renamed: `Nights` names runs by their folders.
    folders = {run.run: folder.name for folder, run in known}
    *earlier, newest = known
    kept = on_the_same_nodes(newest[1], earlier, FEWEST_NIGHTS)[-HISTORY:]
    dated = [each for each in map(figures_of, (*kept, newest)) if each.points]
    if not dated:
        raise UserError("no night has figures yet")
    *past, new = dated
    again = confirmations([each.name for each in dated], paths[-1].parent)
    followed = follow_runs(past, new, again, HISTORY, at_once=not again)
    found: dict[int, list[NightFigure]] = {index: [] for index in range(len(new.points))}
    for run, verdict in zip(dated, followed.verdicts, strict=True):
        for old, index in match(run.points, new.points).pairs:
            if told := verdict.figures.get(index):
                found[index].append(
                    NightFigure(
                        run=folders[run.name],
                        said=told.said,
                        ratio=told.ratio,
                        figure=run.points[old],
                        fresh_ratio=told.fresh_ratio,
                        fresh_launches=told.fresh_launches,
                    )
                )
    named = names(new.points, {})
    return Nights(
        runs=tuple(folders[each.name] for each in dated),
        newest=watched_night(followed, again.get(new.name), confirmable=bool(again)),
        figures=tuple(
            FollowedFigure(name=named[index], nights=tuple(each))
            for index, each in found.items()
            if each
        ),
        machine_ratios={folders[each.name]: each.machine.factor for each in followed.verdicts},
        measured_again={folders[name]: folder.name for name, (folder, _) in again.items()},
    )


class ImportedNights(NamedTuple):
    """Nights in files of other programs, the oldest first, and what is to be said of the files."""

    nights: list[Dated]
    remarks: list[str]


class _File(NamedTuple):
    """A file of a night; `day` is empty where neither file nor name has a date."""

    path: Path
    day: str


def imported_nights(patterns: Sequence[str]) -> ImportedNights:
    """Return the figures of the files that the patterns mean, by night.

    A file's day is that in it, where it says one, else that in its name, else that of the file's
    time. Files of one day that have a figure in common are launches of it. Where files without a
    date were all written within an hour, as copies are, each is a night, in the order in which
    they are named. Raises `UserError` where nothing can be read.
    """
    # Patterns of a shell: those of pathlib are other ones.
    found = (map(Path, sorted(glob(one), key=by_numbers)) for one in patterns)  # noqa: PTH207
    paths = [path for each in found for path in each if path.is_file()]
    if not paths:
        raise UserError(f"no file is called {', '.join(patterns)}: name outputs of OSU, IMB, ...")
    files, remarks = [], []
    for path in dict.fromkeys(paths):
        try:
            files.append(_File(path, _day(path)))
        except UserError as error:
            remarks.append(f"left out: {error}")
    if not files:
        raise UserError(f"none of these {count(len(remarks), 'file')} can be read: {remarks[0]}")
    days: dict[str, list[Path]] = {}
    for day, path in sorted((each.day, each.path) for each in files if each.day):
        days.setdefault(day, []).append(path)
    nights = list(days.items())
    undated = [each.path for each in files if not each.day]
    times = [path.stat().st_mtime for path in undated]
    if len(undated) > 1 and max(times) - min(times) < _COPIED_S:
        named = ", ".join(path.name for path in undated[:_NAMED])
        more = f" and {len(undated) - _NAMED} more" if len(undated) > _NAMED else ""
        remarks.append(
            f"{named}{more} have no date in them or in their names: taken as nights in this order"
            f"{', the latest' if nights else ''}; --import FILE --import FILE ... gives another"
        )
        names = Counter(path.name for path in undated)
        nights += [(p.name if names[p.name] == 1 else str(p), [p]) for p in undated]
    else:
        for time, path in sorted(zip(times, undated, strict=True)):
            day = datetime.fromtimestamp(time).astimezone().date().isoformat()
            days.setdefault(day, []).append(path)
        nights = sorted(days.items())
    dated = []
    for name, each in nights:
        imported = import_files(each).imported
        assert imported
        dated.append(Dated(name, imported.figures))
    return ImportedNights(dated, remarks)


# What is copied at once has the times of the copies.
_COPIED_S = 3600
_DAY = re.compile(r"(20\d\d)-(\d\d)-(\d\d)")
_NAMED_DAY = re.compile(r"(?<!\d)(20\d\d)?[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")


def _day(path: Path) -> str:
    imported = import_files([path]).imported
    written = datetime.fromtimestamp(path.stat().st_mtime).astimezone().date()
    texts = (_DAY, imported.when if imported else ""), (_NAMED_DAY, path.name)
    for pattern, text in texts:
        for found in pattern.finditer(text):
            # Without a year it is the last such day before the file was written.
            years = [int(found[1])] if found[1] else [written.year, written.year - 1]
            for year in years:
                with suppress(ValueError):
                    day = date(year, int(found[2]), int(found[3]))
                    if found[1] or day <= written + timedelta(days=1):
                        return day.isoformat()
    return ""
