"""A part of a run, as a command line names it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.core.errors import UserError

if TYPE_CHECKING:
    from leadline.library.runs import OpenRun
    from leadline.model.run import Run


def part(word: str, runs: Path) -> tuple[str, OpenRun]:
    """Return what `word` means, and its name: what `leadline.open` takes, and a part of it.

    The part stands after a colon, `NAME=VALUE,...`, as for `leadline compare`. Raises `UserError`
    where there is no such run, or nothing is left of it.
    """
    from leadline.cli.sides import parted
    from leadline.library.runs import open as open_run

    what, conditions = parted(word)
    found = open_run(what, runs=runs)
    run = found.run
    for condition in filter(None, conditions.split(",")):
        run = narrowed(run, condition, [condition.partition("=")[2]])
    name = f"{run.run}:{conditions}" if conditions else run.run
    return name, dataclasses.replace(found, run=run)


def narrowed(run: Run, condition: str, values: Sequence[str]) -> Run:
    """Return the run with those points that have one of `values` for the name in `condition`."""
    from leadline.output.html.selection import only

    name = condition.partition("=")[0]
    if not (name and all(values)):
        raise UserError(f"{condition!r} is not NAME=VALUE: write algorithm=ring or bytes=8,64K")
    return only(run, name, values)
