"""Runs that were asked for the same on the same machine, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
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
                or asked(run.plan) != wanted
                or run.machine.get("host", "") != host
            ):
                continue
            run = folder.read()
        except UserError:
            continue
        if run.outcome.state != "running" and not folder.find_damage(run):
            yield folder, run
