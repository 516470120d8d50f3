"""Runs that were asked for the same on the same machine, in the order of time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.run import Run
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
    for path in run_paths(runs):
        folder = RunFolder(path)
        try:
            run = folder.stored()
            if (
                run.imported
                or run.explained
                or run.confirms
                or asked(run.plan) != wanted
                or run.machine.get("host", "") != host
            ):
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
    found = {}
    for path in run_paths(runs):
        folder = RunFolder(path)
        try:
            if folder.stored().confirms not in names:
                continue
            run = folder.read()
        except UserError:
            continue
        if run.outcome.state != "running" and not folder.find_damage(run):
            found[run.confirms] = (folder, run)
    return found


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
