"""The variables that the launches of a batch job inherit, noted on the job's first node."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from leadline.measure.knobs.inherited import (
    OF_THE_SYSTEM,
    SECRET_WORDS,
    inherited,
    parameter_files,
    readers,
)
from leadline.model.installation import Installation
from leadline.model.software import Variable
from leadline.site.hardware.files import Files

# A tree of what was read on the node, with its paths, and the job's environment.
_NODE, _ENVIRONMENT = "node", "environment"


def note_variables(installations: Sequence[Installation], run: Path) -> list[str]:
    """Return the commands by which a job notes in the folder `run` what its launches inherit.

    They note no variable that nobody reads, and none that by its name may hold a secret.
    """
    node = shlex.quote(str(run / _NODE))
    read = "|".join(prefix for each in readers() for prefix in each.prefixes)
    names, harmless = f"grep -E '^({read})'", f"grep -Eiv '^[^=]*({SECRET_WORDS})'"
    paths = dict.fromkeys(
        path for each in installations for path, _ in parameter_files(each, os.environ)
    )
    return [
        "# What the launches inherit on this node, and what the files of their libraries set.",
        f"mkdir -p {node}{OF_THE_SYSTEM.rpartition('/')[0]}",
        f"env | {names} | {harmless} >{node}/{_ENVIRONMENT}",
        f"{names} {OF_THE_SYSTEM} 2>/dev/null | {harmless} >{node}{OF_THE_SYSTEM}",
        "note() {",
        '  [ ! -r "$1" ] || {',
        f'    mkdir -p {node}"${{1%/*}}"',
        f'    {harmless} "$1" >{node}"$1"',
        "  }",
        "}",
        *(f"note {shlex.quote(path)}" for path in paths),
    ]


def noted_variables(installations: Sequence[Installation], run: Path) -> list[Variable] | None:
    """Return what a job has noted in the folder `run`; None where it has noted nothing."""
    node = Files(run / _NODE)
    text = node.text(_ENVIRONMENT)
    if text is None:
        return None
    home = {name: os.environ[name] for name in ("HOME",) if name in os.environ}
    return inherited(installations, {**home, **_environment(text)}, node)


def _environment(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
