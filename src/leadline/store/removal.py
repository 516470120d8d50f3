"""Removing a run, and nothing that is not one."""

import shutil
from pathlib import Path

from leadline.core.errors import UserError
from leadline.store.disk import writing
from leadline.store.folder import RUN_FILE, RunFolder, find, run_paths

_OURS = {"run.json", "samples.parquet", "launches", "report.html", "lock", "reserve"}
_OURS |= {"job.sh", "job.txt"}


def removable(name: str, runs: Path) -> RunFolder:
    """Return the folder that `name` means (see `RunFolder.open`) if it may be removed.

    In `runs` a damaged run may go too. Raises `UserError` for what is not a run or holds more than
    one, a link, and a run that is being measured.
    """
    folder = RunFolder(find(name, runs))
    if folder.path.is_symlink():
        raise UserError(f"{name!r} is a link: remove the run by its own path, or the link with rm")
    among_runs = folder.path.absolute() in {path.absolute() for path in run_paths(runs)}
    if not among_runs:
        RunFolder.open(name, runs).read()
    if not (among_runs and (folder.path / RUN_FILE).exists()):
        strange = {path.name for path in folder.path.iterdir()} - _OURS
        if strange:
            raise UserError(
                f"{folder.path} also holds {min(strange)!r}, which leadline did not write: "
                "remove that first"
            )
    folder.check_unused("end it first")
    return folder


def remove(folder: RunFolder) -> None:
    """Remove the folder. Links inside go, what they point to stays."""
    with writing(folder.path):
        shutil.rmtree(folder.path)
