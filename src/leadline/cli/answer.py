"""The JSON that `run`, `survey` and `show` print: a promise, documented in docs/json.md."""

from pathlib import Path
from typing import Any

import msgspec

from leadline.model.run import Run
from leadline.model.summary import Analysis

ANSWER_FORMAT = 1


def answer(run: Run, folder: Path, analysis: Analysis) -> dict[str, Any]:
    """Return the object: names and shapes change only together with `format`."""
    return {
        "format": ANSWER_FORMAT,
        "run": run.run,
        "folder": str(folder),
        "outcome": msgspec.to_builtins(run.outcome),
        "points": msgspec.to_builtins(analysis.points),
        "sweeps": msgspec.to_builtins(analysis.sweeps),
        "findings": msgspec.to_builtins(analysis.findings),
    }
