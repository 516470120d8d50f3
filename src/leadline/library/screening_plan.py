"""What a screening measures: its figures, at which points, and in which order.

One launch has the nodes' own figures first and then the pairs, round by round. Who is paired with
whom is in a file that the probe reads, so that later rounds can be chosen by the first ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from leadline.analysis.screen.figures import NODE_FIGURES, Figure, pair_figures
from leadline.analysis.screen.matchings import Matching
from leadline.measure.run.preparation import Prepared, PreparedLaunch
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point, Stopping
from leadline.site.doctor.elsewhere import wanted_files
from leadline.site.hardware.kind import FILES

# With fewer nodes nobody knows which of two is slow.
FEWEST = 4
# The file in the launch's folder that tells the probe who is paired with whom.
SCHEDULE = "rounds.txt"
# The file there that asks each rank for files of its node.
FACTS = "facts.txt"
# A job without any news for so long hangs.
PATIENCE_S = 60.0


class Screening(msgspec.Struct, frozen=True, kw_only=True):
    """What to screen, and how.

    `plan` says where: its hosts or batch system, MPI and placement of one rank a node. Large
    messages have `size` bytes, as text. `tolerance` is the part by which a figure may be slower.
    `is_node_only` leaves the pairs out, `has_all_pairs` measures every pair.
    """

    plan: Plan
    size: str = "256K"
    tolerance: float = 0.05
    is_node_only: bool = False
    has_all_pairs: bool = False

    @property
    def figures(self) -> list[Figure]:
        """What is measured."""
        return [*NODE_FIGURES, *([] if self.is_node_only else pair_figures(self.size))]


def default_plan(hosts: Sequence[str], nodes: int, seconds: float) -> Plan:
    """Return the plan of a screening, without its benchmarks: at most so many seconds for a figure.

    `nodes` counts those of a batch job, whose hosts have no names yet.
    """
    return Plan(
        entries=(),
        hosts=tuple(hosts),
        placements=(Placement(max(nodes, FEWEST), 1),),
        launches=1,
        # All that the time allows: what is compared with others need not be precise by itself.
        stopping=Stopping(precision=1e-4, minimum=6, maximum=400, seconds=seconds),
        oversubscribe=True,
        roofs=False,
        name="screen",
    )


def plan_of(wanted: Screening, rounds: int) -> Plan:
    """Return the plan with what is measured, pairs in so many rounds."""
    entries = []
    for figure in wanted.figures:
        axes = dict(figure.axes)
        if figure.is_pair:
            axes["round"] = ",".join(map(str, range(rounds)))
        entries.append(Entry(benchmarks=(figure.benchmark,), axes=axes, values="quick"))
    return msgspec.structs.replace(wanted.plan, entries=tuple(entries))


def of_pairs(prepared: Prepared) -> Prepared:
    """Return it without what nodes measure by themselves."""

    def kept(points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple(point for point in points if round_of(point) >= 0)

    launches = [
        msgspec.structs.replace(
            each, plan=msgspec.structs.replace(each.plan, points=kept(each.plan.points))
        )
        for each in prepared.launches
    ]
    return msgspec.structs.replace(prepared, points=list(kept(prepared.points)), launches=launches)


def in_order(
    prepared: Prepared,
    by_point: Mapping[int, Figure],
    figures: Sequence[Figure],
    rounds: Sequence[Matching],
) -> Prepared:
    """Return the launch with its nodes' own figures first and then round by round.

    Its files hold the first rounds.
    """
    order = {figure.name: at for at, figure in enumerate(figures)}

    def ordered(launch: PreparedLaunch) -> PreparedLaunch:
        points = sorted(
            launch.plan.points,
            key=lambda point: (round_of(point), order[by_point[point.index].name]),
        )
        files = {FACTS: "\n".join(dict.fromkeys((*wanted_files(), *FILES))) + "\n"}
        if rounds:
            files[SCHEDULE] = schedule_text(rounds)
        return msgspec.structs.replace(
            launch,
            plan=msgspec.structs.replace(launch.plan, points=tuple(points)),
            start=msgspec.structs.replace(launch.start, files={**launch.start.files, **files}),
        )

    return msgspec.structs.replace(
        prepared, launches=[ordered(each) for each in prepared.launches], patience_s=PATIENCE_S
    )


def figure_of(point: Point, figures: Sequence[Figure]) -> Figure | None:
    """Return which of the figures a point measures."""
    for figure in figures:
        same = point.benchmark == figure.benchmark
        if same and all(_same(point.axes[name], text) for name, text in figure.axes.items()):
            return figure
    return None


def _same(value: Any, text: str) -> bool:
    from leadline.core.units import parse_bytes

    return str(value) == text or (isinstance(value, int) and value == parse_bytes(text))


def round_of(point: Point) -> int:
    """Return the round of a point, -1 for what nodes measure by themselves."""
    return int(point.axes.get("round", -1))


def schedule_text(rounds: Sequence[Matching]) -> str:
    r"""Return the lines that tell the probe who is paired with whom.

    >>> schedule_text([((0, 3), (1, 2))])
    '0-3 1-2\n'
    """
    return "".join(
        " ".join(f"{first}-{second}" for first, second in matching) + "\n" for matching in rounds
    )
