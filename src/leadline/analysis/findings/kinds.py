"""The kinds of findings: the rules by their names, and what each kind means."""

from collections.abc import Mapping

from leadline.analysis.findings.rule import Explanation, Rule
from leadline.analysis.findings.rules import (
    absent,
    answers,
    growth,
    guideline_violated,
    interference,
    interruptions,
    jitter,
    latency_stops_scaling,
    levels,
    limits_exceeded,
    links,
    loggp,
    machine,
    neighbours,
    noise,
    one_sided,
    overlap,
    placements,
    precision,
    reported,
    settings,
    sizes,
    speedup,
    steadiness,
    swings,
    switches,
    variants,
)

_MODULES = (
    absent,
    answers,
    growth,
    guideline_violated,
    interference,
    interruptions,
    jitter,
    latency_stops_scaling,
    levels,
    limits_exceeded,
    links,
    loggp,
    machine,
    neighbours,
    noise,
    one_sided,
    overlap,
    placements,
    precision,
    reported,
    settings,
    sizes,
    speedup,
    steadiness,
    swings,
    switches,
    variants,
)

RULES: Mapping[str, Rule] = {
    one.kind: one
    for one in sorted(
        (each for module in _MODULES for each in vars(module).values() if isinstance(each, Rule)),
        key=lambda one: one.kind,
    )
}


def kinds() -> tuple[str, ...]:
    """Return every kind of finding that there is."""
    return tuple(RULES)


def explain(kind: str) -> Explanation:
    """Return the explanation of a kind."""
    return RULES[kind].explanation
