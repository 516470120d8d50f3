"""The order of things: launches in turn, points shuffled, so that drift favours nobody."""

import random
from collections.abc import Collection, Sequence

from leadline.model.plan import LaunchKey, Plan, Point, launch_key


def schedule(points: Sequence[Point], rounds: int, seed: int) -> list[tuple[Point, ...]]:
    """Return the points of each launch.

    One launch visits all points that share installation, API, placement and knobs, in
    random order. The launches of different ones take turns, round by round in random order, so
    that what is compared is interleaved (Hunold and Carpen-Amarie 2016).
    """
    groups: dict[LaunchKey, list[Point]] = {}
    for point in points:
        groups.setdefault(launch_key(point), []).append(point)
    chance = random.Random(seed)
    return [
        tuple(chance.sample(members, len(members)))
        for _ in range(rounds)
        for members in chance.sample(list(groups.values()), len(groups))
    ]


def plan_text(
    plan: Plan,
    points: Sequence[Point],
    seed: int,
    oversubscribed: bool,
    controls: Collection[str] = (),
) -> str:
    """Return the plan file of one launch (docs/explanation/architecture.md, "Plan file").

    `controls` are the MPI_T control variables whose values the probe is to report.
    """
    stopping = plan.stopping
    lines = [
        "leadline-plan 1",
        f"set precision {stopping.precision:g}",
        f"set minimum {stopping.minimum}",
        f"set maximum {stopping.maximum}",
        f"set seconds {stopping.seconds:g}",
        f"set seed {seed}",
        f"set oversubscribed {int(oversubscribed)}",
        *(f"read {name}" for name in controls),
    ]
    for point in points:
        values = {**point.axes, **point.settings}
        words = " ".join(f"{name}={value}" for name, value in values.items())
        if point.library:
            lines.append(f"library {point.library}")
        lines.append(f"point {point.index} {point.benchmark} {words}")
    return "\n".join(lines) + "\n"
