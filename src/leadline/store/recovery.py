"""What is left of a run whose `run.json` was not brought to its end."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline.model.run import Outcome, Run
from leadline.store.launches import EVENTS, LaunchFiles, collect_launch, noted_launch
from leadline.store.lock import Writer


def recovered(run: Run, launches: Path, writer: Writer | None) -> Run:
    """Return `run` with the launches that `run.json` does not know yet, read from their folders.

    `launches` is the folder of the launch folders. Without a `writer`, the run and these launches
    are incomplete. A launch that began no point says nothing and is left out.
    """
    outcome = _describe_running(writer) if writer else _describe_killed(run)
    known = {launch.launch for launch in run.launches}
    found = list(run.launches)
    for folder in sorted(launches.iterdir()) if launches.is_dir() else []:
        if not folder.name.isdigit() or int(folder.name) in known:
            continue
        base = noted_launch(folder)
        if base and any(event["event"] == "begin" for event in LaunchFiles(folder).events):
            base = msgspec.structs.replace(
                base,
                started=_modification_time(folder),
                ended=_modification_time(folder / EVENTS),
                outcome=outcome,
            )
            found.append(collect_launch(folder, base))
    return msgspec.structs.replace(run, outcome=outcome, launches=found)


def _describe_running(writer: Writer) -> Outcome:
    message = f"on {writer.host} as process {writer.pid}: only there can be seen whether it lives"
    return Outcome(state="running", message="" if writer.certain else message)


def _describe_killed(run: Run) -> Outcome:
    message = "leadline itself was killed"
    if run.batch:
        message += (
            f", and job {run.batch.job} of {run.batch.system} went on: "
            f"`leadline show {run.run} --recover` collects what it measured"
        )
    return Outcome(state="incomplete", message=message)


def _modification_time(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
