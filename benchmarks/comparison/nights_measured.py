"""Nights drawn from launches that were measured here, in the order in which they were made."""

from pathlib import Path

import numpy as np

from comparison.nights_replay import Drawn
from leadline.analysis.compare.confirming import Yardsticks
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.matching import match
from leadline.analysis.results.summary import summarise
from leadline.core.errors import UserError
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples


class Measured:
    """Launches of the runs in a folder: a night begins anywhere in one, and goes on from there.

    So slow spells last as long as they did. Runs without figures in common with the first are left
    out. Raises `UserError` where there are too few launches to draw from.
    """

    def __init__(self, random: np.random.Generator, folder: Path) -> None:
        self.random = random
        folders = [RunFolder(path.parent) for path in sorted(folder.glob("*/run.json"))]
        runs = [summarise(each.read(), StoredSamples(each)) for each in folders]
        runs = [points for points in runs if points]
        if not runs:
            raise UserError(f"{folder} holds no run with figures")
        rows, slow = [], []
        yardsticks = Yardsticks(Dated("", points) for points in runs)
        for points in runs:
            mates = {new: old for old, new in match(points, runs[0]).pairs}
            if len(mates) < len(runs[0]):
                continue
            same = [points[mates[index]] for index in range(len(runs[0]))]
            medians = [point.launch_medians_s for point in same]
            fewest = min(len(each) for each in medians)
            if fewest:
                rows.append(np.log(np.array([each[:fewest] for each in medians])).T)
                slow.append(np.array([yardsticks.slow(point)[:fewest] for point in same]).T)
        if sum(len(each) for each in rows) < 12:
            raise UserError(f"{folder} holds fewer than 12 launches of the same figures")
        self._rows = np.concatenate(rows)
        self._slow = np.concatenate(slow)
        self.figures = self._rows.shape[1]
        self._next = 0

    def begin(self) -> None:
        """Begin a night at any launch."""
        self._next = int(self.random.integers(len(self._rows)))

    def launch(self, part: float = 1.0) -> Drawn:
        """Return the next launch, after the last one the first, also for one of few points."""
        at = self._next % len(self._rows)
        self._next += 1
        return Drawn(self._rows[at], self._slow[at])
