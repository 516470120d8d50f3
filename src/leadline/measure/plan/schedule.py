"""From points to launches: which job each is in, who disturbs whom there, and in what order."""

import random
from collections.abc import Collection, Iterable, Sequence

from leadline.core.errors import UserError
from leadline.model.description import Axis, Description
from leadline.model.interference import NEIGHBOUR, SPACER, disturbed
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Point
from leadline.model.run import by_launch_key


def schedule(points: Sequence[Point], rounds: int, seed: int) -> list[tuple[Point, ...]]:
    """Return the points of each launch: those that share installation, API, placement and knobs.

    Launches take turns, round by round in random order, so that what is compared is interleaved
    (Hunold and Carpen-Amarie 2016).
    """
    groups = by_launch_key(points)
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


def jobs_of(plan: Plan) -> dict[Placement, Placement]:
    """Return the placement of the whole job by that of the ranks that measure.

    Raises `UserError` for victims that leave no neighbour, and for placements that only differ in
    what is beside the victims.
    """
    jobs: dict[Placement, Placement] = {}
    for job in plan.placements:
        measuring = _measuring(job, plan.victims)
        if jobs.setdefault(measuring, job) != job:
            raise UserError(
                f"victims {plan.victims}: placements {jobs[measuring]} and {job} have the same "
                "ranks that measure: take one of them"
            )
    return jobs


def settings_of(description: Description, victims: int) -> tuple[Axis, ...]:
    """Return the harness's parameters of a point.

    Raises `UserError` for victims where nothing can disturb them.
    """
    if not victims:
        return description.settings
    if not description.neighbour_settings:
        raise UserError(
            f"victims {victims}: benchmarks of the API {description.api} cannot be "
            "disturbed in the same job: leave out --victims, or measure one of MPI"
        )
    return description.settings + description.neighbour_settings


def neighbours_of(plan: Plan, job: Placement, points: Sequence[Point]) -> int:
    """Return how many nodes of `job` disturb the others: the same beside each of its points."""
    if not plan.victims:
        return 0
    return max(1, _units(job) - plan.victims - _widest(points))


def check_neighbours(
    plan: Plan, points: Iterable[Point], descriptions: Sequence[Description]
) -> None:
    """Raise `UserError` where what shall disturb does not fit beside those that measure."""
    if not plan.victims:
        return
    least = {each.name: each.minimum for one in descriptions for each in one.congestors}
    points = list(points)
    for measuring, job in jobs_of(plan).items():
        here = [point for point in points if point.placement == measuring]
        noun = "nodes" if job.nodes > 1 else "processes"
        left = _units(job) - plan.victims - _widest(here)
        processes = left * (job.processes_per_node if job.nodes > 1 else 1)
        for point in filter(lambda point: disturbed(point.settings), here):
            name = str(point.settings[NEIGHBOUR])
            if processes < least.get(name, 1):
                raise UserError(
                    f"neighbour {name} needs {least.get(name, 1)} processes, and placement {job} "
                    f"with {plan.victims} victims and {_widest(here)} idle {noun} has "
                    f"{max(0, processes)} left: take a larger --place, or fewer --victims"
                )


def _measuring(job: Placement, victims: int) -> Placement:
    if victims == 0:
        return job
    if not 0 < victims < _units(job):
        noun = "nodes" if job.nodes > 1 else "processes on its one node"
        raise UserError(
            f"victims {victims}: placement {job} has {_units(job)} {noun}, and 1 to "
            f"{_units(job) - 1} of them may measure while others disturb"
        )
    if job.nodes > 1:
        return Placement(victims, job.processes_per_node)
    return Placement(1, victims)


def _units(job: Placement) -> int:
    return job.nodes if job.nodes > 1 else job.processes_per_node


def _widest(points: Iterable[Point]) -> int:
    return max((int(p.settings[SPACER]) for p in points if disturbed(p.settings)), default=0)
