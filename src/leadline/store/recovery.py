"""What is left of a run whose `run.json` was not brought to its end."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline.model.plan import Point
from leadline.model.run import Launch, Outcome, Run
from leadline.store.launches import EVENTS, LaunchFiles, collect_launch

_KILLED = Outcome(state="incomplete", message="leadline itself was killed")


class _Begin(msgspec.Struct, frozen=True):
    point: int


def recovered(run: Run, launches: Path, alive: bool) -> Run:
    """Return `run` with the launches that `run.json` does not know yet, read from their folders.

    `launches` is the folder of the launch folders. Unless its leadline is `alive`, the run and
    these launches are incomplete. A launch that began no point says nothing and is left out.
    """
    outcome = run.outcome if alive else _KILLED
    points = {point.index: point for point in run.points}
    known = {launch.launch for launch in run.launches}
    found = list(run.launches)
    for folder in sorted(launches.iterdir()) if launches.is_dir() else []:
        if not folder.name.isdigit() or int(folder.name) in known:
            continue
        begun = LaunchFiles(folder).of("begin", _Begin)
        point = points.get(begun[0].point) if begun else None
        if point:
            found.append(collect_launch(folder, _base(run, folder, point, outcome)))
    return msgspec.structs.replace(run, outcome=outcome, launches=found)


def _base(run: Run, folder: Path, point: Point, outcome: Outcome) -> Launch:
    return Launch(
        launch=int(folder.name),
        mpi=point.mpi,
        transport=point.transport,
        argv=(),
        environment={},
        processes=point.placement.processes,
        nodes=point.placement.nodes,
        processes_per_node=point.placement.processes_per_node,
        oversubscribed=run.plan.oversubscribe,
        started=_changed(folder),
        ended=_changed(folder / EVENTS),
        outcome=outcome,
    )


def _changed(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
