"""Figures whose times cluster at several values, far enough apart to matter.

Clusters nearer than 25 % are no finding; they are in the figure's `shape` in JSON.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job, worst_of
from leadline.core.units import format_seconds, percent
from leadline.model.noise import Shape
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Report all values, and find what the value depends on: launch, time or repetition."
EVIDENCE = {
    "mode_*_s": "typical time of each cluster",
    "mode_*_fraction": "repetitions in it",
    "period": "repetitions after which the clusters follow again",
}

# Typical values nearer to each other than this make no difference to a program.
_APART = 1.25

_FOLLOW = {
    "launch": "by launch",
    "time": "in stretches of time",
    "repetition": "in turn, every {period} repetitions",
    "chance": "at random",
}
_ADVICE = {
    "launch": "Report all values, or measure more launches.",
    "time": "Find out what changes: the clock frequency, another process or the place of memory.",
    "repetition": "Change the size or the cache setting, to see whether the period changes.",
    "chance": "Report both values; plan with the slower one.",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figures with several modes."""
    shapes = {i: p.shape for i, p in enumerate(evidence.points) if p.shape and _apart(p.shape)}
    if group := list(shapes):
        worst = max(group, key=lambda index: _weight(shapes[index]))
        shape = shapes[worst]
        follow = shape.modes_follow or "chance"
        values = [f"{format_seconds(mode.at_s)} ({percent(mode.fraction)})" for mode in shape.modes]
        numbers = {f"mode_{n}_s": mode.at_s for n, mode in enumerate(shape.modes, 1)}
        numbers |= {f"mode_{n}_fraction": mode.fraction for n, mode in enumerate(shape.modes, 1)}
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)}: times cluster at {', '.join(values[:-1])} and "
            f"{values[-1]}, {_FOLLOW[follow].format(period=shape.modes_period)}.{worst_of(group)}",
            evidence=numbers
            | ({"period": float(shape.modes_period)} if shape.modes_period else {}),
            advice=_ADVICE[follow],
            command=_command(evidence, group, worst, follow),
            points=tuple(group),
        )


def _command(evidence: Evidence, group: list[int], worst: int, follow: str) -> str | None:
    if follow == "launch":
        launches = max(10, 2 * evidence.run.plan.launches)
        return command(evidence, same_job(evidence, group, worst), launches=launches)
    return "leadline doctor" if follow == "time" else None


def _apart(shape: Shape) -> bool:
    return len(shape.modes) > 1 and shape.modes[-1].at_s >= _APART * shape.modes[0].at_s > 0


def _weight(shape: Shape) -> float:
    """Return how far the modes are apart, as a factor, weighed with how evenly they share."""
    return shape.modes[-1].at_s / shape.modes[0].at_s * min(m.fraction for m in shape.modes)
