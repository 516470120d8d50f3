"""The node that leadline runs on, screened alone: against its own past, or that of its kind."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from leadline.analysis.screen.history import FEWEST_PAST, Levels, node_levels, slower_than_past
from leadline.core.units import count
from leadline.library.screening import ScreeningJob
from leadline.library.screening_plan import Screening
from leadline.model.placement import Placement
from leadline.model.progress import Observer
from leadline.model.run import Run
from leadline.model.screen import Screen, Suspect
from leadline.store.history import keep_screen, past_screens

# What is slow in one launch only is not the node.
_LAUNCHES = 2


def screen_node(wanted: Screening, runs: Path, observer: Observer) -> tuple[Screen, Run]:
    """Screen this node by itself, keep what was found, and return it with the run.

    Raises `UserError` for what cannot be measured at all.
    """
    plan = msgspec.structs.replace(
        wanted.plan, hosts=(), placements=(Placement(1, 1),), launches=_LAUNCHES
    )
    began = time.monotonic()
    job = ScreeningJob(
        msgspec.structs.replace(wanted, plan=plan, is_node_only=True), runs, observer
    )
    run = job.execute()
    names = job.names()
    levels = node_levels(job.looks()[0], names)
    kind = kind_of(run.machine)
    earlier = list(past_screens(runs))
    own = levels.get(names[0], {}) if names else {}
    past = past_levels(earlier, names[0], kind) if names else []
    found = slower_than_past(own, past, tolerance=wanted.tolerance)
    last = next((each for each in earlier if set(each.measured) & set(names)), None)
    suspects = []
    if found:
        known = None if last is None else {each.name for each in last.suspects}
        suspects.append(
            Suspect(
                kind="node",
                name=names[0],
                figure=found.figure,
                ratio=round(found.ratios[found.figure], 3),
                probability=round(found.probability, 4),
                ratios={figure: round(ratio, 3) for figure, ratio in found.ratios.items()},
                looks=_LAUNCHES,
                is_new=None if known is None else names[0] not in known,
            )
        )
    screen = Screen(
        run=run.run,
        nodes=names,
        rounds=0,
        seconds=round(time.monotonic() - began, 1),
        suspects=tuple(suspects),
        against=last.run if last else None,
        is_complete=run.outcome.state == "complete",
        message=run.outcome.told,
        levels=levels,
        kind=kind,
        past=len(past),
    )
    keep_screen(job.folder, screen)
    return screen, run


def kind_of(machine: dict[str, Any]) -> str:
    """Return what nodes of one kind have in common: the processor, and how many cores of it.

    >>> kind_of({"cpu_model": "Xeon 8480", "sockets": 2, "cores": 112})
    'Xeon 8480, 2 sockets, 112 cores'
    """
    model = machine.get("cpu_model") or "unknown processor"
    sockets, cores = (count(machine.get(f"{noun}s") or 0, noun) for noun in ("socket", "core"))
    return f"{model}, {sockets}, {cores}"


def past_levels(earlier: Iterable[Screen], node: str, kind: str) -> list[Levels]:
    """Return the levels of the node in earlier screenings, where it was not suspected.

    Where there are too few, those of nodes of its kind come to them.
    """
    own: list[Levels] = []
    others: list[Levels] = []
    for each in earlier:
        suspected = {suspect.name for suspect in each.suspects}
        good = {name: seen for name, seen in each.levels.items() if name not in suspected}
        if node in good:
            own.append(good.pop(node))
        alike = next((kept for kept in each.kinds.values() if node in kept), each.nodes)
        if node in alike or (each.kind and each.kind == kind):
            others += [seen for name, seen in good.items() if name in alike]
    return own if len(own) >= FEWEST_PAST else own + others
