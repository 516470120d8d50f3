"""The order of things: launches in turn, points shuffled, so that drift favours nobody."""

import random
from collections.abc import Collection, Sequence

from leadline.measure.plan.neighbours import jobs_of, neighbours_of
from leadline.model.plan import LaunchKey, LaunchPlan, Plan, Point, launch_key


def schedule(plan: Plan, points: Sequence[Point], seed: int) -> list[LaunchPlan]:
    """Return the launches of a plan.

    One launch visits all points that share installation, API, placement and knobs, in
    random order. The launches of different ones take turns, round by round in random order, so
    that what is compared is interleaved (Hunold and Carpen-Amarie 2016).
    """
    groups: dict[LaunchKey, list[Point]] = {}
    for point in points:
        groups.setdefault(launch_key(point), []).append(point)
    chance = random.Random(seed)
    jobs = jobs_of(plan)
    launches: list[LaunchPlan] = []
    for _ in range(plan.launches):
        for members in chance.sample(list(groups.values()), len(groups)):
            launches.append(
                LaunchPlan(
                    launch=len(launches),
                    mpi=members[0].mpi,
                    api=members[0].api,
                    placement=jobs[members[0].placement],
                    knobs=members[0].knobs,
                    points=tuple(chance.sample(members, len(members))),
                    neighbours=neighbours_of(plan, jobs[members[0].placement], members),
                )
            )
    return launches


def plan_text(
    plan: Plan, launch: LaunchPlan, seed: int, oversubscribed: bool, controls: Collection[str] = ()
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
        f"set seed {seed + launch.launch}",
        f"set oversubscribed {int(oversubscribed)}",
        *(f"read {name}" for name in controls),
    ]
    for point in launch.points:
        values = {**point.axes, **point.settings}
        words = " ".join(f"{name}={value}" for name, value in values.items())
        if point.library:
            lines.append(f"library {point.library}")
        lines.append(f"point {point.index} {point.benchmark} {words}")
    return "\n".join(lines) + "\n"
