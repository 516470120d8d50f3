"""The last nights of a plan: each judged against those before it, as `watch` did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leadline.analysis.compare.confirming import Yardsticks, nights_of
from leadline.analysis.compare.matching import match, names
from leadline.analysis.compare.nights import Follower
from leadline.analysis.stats.nightly import FEWEST_NIGHTS
from leadline.core.errors import UserError
from leadline.library.watched import Followed, figures_of, watched_night, with_fresh
from leadline.model.nights import FollowedFigure, NightFigure, Nights
from leadline.store.folder import RunFolder
from leadline.store.history import confirmations, on_the_same_nodes

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
