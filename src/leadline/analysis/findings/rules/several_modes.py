"""Times that have several typical values, of which the median is one by luck."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, worst_of
from leadline.core.units import format_seconds, percent
from leadline.model.shape import Shape
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "It says whether they go with the launch, the time or the repetition: more launches, the "
    "doctor, or the library. Report all typical values."
)

# Typical values nearer to each other than this make no difference to a program.
_APART = 1.1

_FOLLOW = {
    "launch": "Which one it is depends on the launch.",
    "time": "They come in stretches: the machine or the library changes its state for a while.",
    "repetition": "They come in turn, again after {period} repetitions.",
    "chance": "Neither launch, time nor repetition tells which one comes.",
}
_ADVICE = {
    "launch": "The median is of the launches that happened to be more: take all of these values "
    "for what they are, and measure with more launches: `{again}`.",
    "time": "Find out with `leadline doctor` what changes: the clock frequency, another process, "
    "where memory lies.",
    "repetition": "What has a period is in the library or in the buffers in turn, not in the "
    "machine: change the size or the cache setting, and see whether the period changes.",
    "chance": "Say both values where you say one, and plan with the slower one where ranks wait "
    "for each other.",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI with figures of several modes."""
    shapes = {i: p.shape for i, p in enumerate(evidence.points) if p.shape and _apart(p.shape)}
    for group in evidence.groups(shapes):
        worst = max(group, key=lambda index: _weight(shapes[index]))
        shape = shapes[worst]
        follow = shape.modes_follow or "chance"
        values = [
            f"{format_seconds(mode.at_s)} ({percent(mode.fraction)} of its repetitions)"
            for mode in shape.modes
        ]
        numbers = {f"mode_{n}_s": mode.at_s for n, mode in enumerate(shape.modes, 1)}
        numbers |= {f"mode_{n}_fraction": mode.fraction for n, mode in enumerate(shape.modes, 1)}
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} has {len(values)} typical times: "
            f"{', '.join(values[:-1])} and {values[-1]}. "
            f"{_FOLLOW[follow].format(period=shape.modes_period)}{worst_of(group)}",
            evidence=numbers
            | ({"period": float(shape.modes_period)} if shape.modes_period else {}),
            advice=_ADVICE[follow].format(
                again=command(evidence, group, launches=max(10, 2 * evidence.run.plan.launches))
            ),
            points=tuple(group),
        )


def _apart(shape: Shape) -> bool:
    return len(shape.modes) > 1 and shape.modes[-1].at_s >= _APART * shape.modes[0].at_s > 0


def _weight(shape: Shape) -> float:
    """Return how far the modes are apart, as a factor, weighed with how evenly they share."""
    return shape.modes[-1].at_s / shape.modes[0].at_s * min(m.fraction for m in shape.modes)
