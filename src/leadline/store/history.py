"""Earlier runs: those of the same plan on the same machine, and what screenings found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.run import Run
from leadline.model.screen import Screen
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder, run_paths
from leadline.store.renamed import current_plan


def asked(plan: Plan) -> tuple[Any, ...]:
    """Return what two plans have in common that ask for the same.

    How often and how long is measured, the seed and the name are no part of it.
    """
    plan = current_plan(plan)
    return (
        plan.entries,
        plan.placements,
        plan.mpi,
        plan.hosts,
        tuple(sorted(plan.knobs.items())),
        plan.launcher,
        plan.bind,
        plan.oversubscribe,
    )


def runs_like(plan: Plan, host: str, runs: Path) -> Iterator[tuple[RunFolder, Run]]:
    """Yield the finished runs in `runs` that `plan` asked for on the machine `host`, oldest first.

    Those that were cut count with what they finished. Folders that cannot be read are passed over.
    """
    wanted = asked(plan)

    def alike(run: Run) -> bool:
        other = run.imported or run.explained or run.confirms
        there = run.machine.get("host", "") == host
        return not other and there and asked(run.plan) == wanted

    yield from _finished(runs, alike)


def _finished(runs: Path, wanted: Callable[[Run], bool]) -> Iterator[tuple[RunFolder, Run]]:
    for path in run_paths(runs):
        folder = RunFolder(path)
        try:
            if not wanted(folder.stored()):
                continue
            run = folder.read()
        except UserError:
            continue
        if run.outcome.state != "running" and not folder.find_damage(run):
            yield folder, run


def confirmations(names: Collection[str], runs: Path) -> dict[str, tuple[RunFolder, Run]]:
    """Return by the names of runs those that measured again what looked slower in them.

    The last one of each; folders that cannot be read are passed over.
    """
    confirming = _finished(runs, lambda run: run.confirms in names)
    return {run.confirms: (folder, run) for folder, run in confirming}


def on_the_same_nodes(
    newest: Run, earlier: Sequence[tuple[RunFolder, Run]], fewest: int
) -> list[tuple[RunFolder, Run]]:
    """Return those earlier runs that ran on the same nodes as the newest one, on several.

    All of them where the newest ran on one node, or fewer than `fewest` on its nodes.
    """
    hosts = _hosts(newest)
    same = [known for known in earlier if _hosts(known[1]) == hosts]
    return same if len(hosts) > 1 and len(same) >= fewest else list(earlier)


def _hosts(run: Run) -> frozenset[str]:
    return frozenset(rank.host for launch in run.launches for rank in launch.ranks)


SCREEN_FILE = "screen.json"
# A health check every hour makes so many in a week: what is older was another machine.
_MOST_PAST = 168


def keep_screen(folder: RunFolder, screen: Screen) -> None:
    """Write what was found into the folder. Raises `UserError`."""
    with replacing(folder.path / SCREEN_FILE) as partial:
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(screen), indent=1))


def last_screen(runs: Path, nodes: Collection[str]) -> Screen | None:
    """Return what the newest screening in `runs` found that measured any of these nodes."""
    return next((each for each in _screens(runs) if set(each.measured) & set(nodes)), None)


def past_screens(runs: Path) -> Iterator[Screen]:
    """Yield what screenings in `runs` found, the newest first, as far back as counts."""
    yield from islice(_screens(runs), _MOST_PAST)


def read_screen(folder: Path) -> Screen | None:
    """Return what the screening in this folder found; None where there is none to be read."""
    try:
        return msgspec.json.decode((folder / SCREEN_FILE).read_bytes(), type=Screen)
    except (OSError, msgspec.DecodeError):
        return None


def _screens(runs: Path) -> Iterator[Screen]:
    for path in reversed(run_paths(runs)):
        if found := read_screen(path):
            yield found
