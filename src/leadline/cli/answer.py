"""The JSON that `run`, `survey` and `show` print: a promise (docs/reference/json.md)."""

from pathlib import Path
from typing import Any

import msgspec

from leadline.analysis.verdict import verdict_of
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.model.summary import Analysis

ANSWER_FORMAT = 1


def answer(run: Run, folder: Path | None, analysis: Analysis) -> dict[str, Any]:
    """Return the object: names and shapes change only together with `format`.

    There is no folder where a file of another program is shown.
    """
    return {
        "format": ANSWER_FORMAT,
        "run": run.run,
        "folder": str(folder) if folder else None,
        "outcome": msgspec.to_builtins(run.outcome),
        "verdict": msgspec.to_builtins(verdict_of(run, analysis)),
        "points": msgspec.to_builtins(analysis.points),
        "undecided": list(run.undecided),
        "missing": msgspec.to_builtins(analysis.missing),
        "sweeps": msgspec.to_builtins(analysis.sweeps),
        "findings": msgspec.to_builtins(analysis.findings),
        "jitter": msgspec.to_builtins(analysis.jitter),
        "impacts": msgspec.to_builtins(analysis.impacts),
        "pairs": msgspec.to_builtins(analysis.pairs),
        "published": msgspec.to_builtins(analysis.published),
        "replayed": msgspec.to_builtins(analysis.replayed),
        "noise": msgspec.to_builtins(analysis.noise),
        "clocks": [
            {"launch": launch.launch, **msgspec.to_builtins(launch.clock)}
            for launch in run.launches
            if launch.clock
        ],
        "company": [
            {"launch": launch.launch, **msgspec.to_builtins(launch.company)}
            for launch in run.launches
            if launch.company
        ],
    }


def answers_to(question: Question, analysis: Analysis) -> list[int]:
    """Return the indices of the findings that answer the question."""
    return [i for i, one in enumerate(analysis.findings) if one.kind in question.answers]


def answered(question: Question, analysis: Analysis) -> dict[str, Any]:
    """Return what the object of a run holds beside, where a question was asked."""
    return {"question": question.text, "answers": answers_to(question, analysis)}
