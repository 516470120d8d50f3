"""What a screening measures, in which order, what nodes said of themselves, and a watch beside it.

One launch has the nodes' own figures first and then the pairs, round by round. Who is paired with
whom is in a file that the probe reads, so that later rounds can be chosen by the first ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from leadline.analysis.screen.figures import NODE_FIGURES, Figure, pair_figures
from leadline.analysis.screen.kinds import clock_differences, kinds, setting_differences
from leadline.analysis.screen.matchings import Matching
from leadline.core.units import parse_bytes
from leadline.measure.run.preparation import Prepared, PreparedLaunch
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point, Stopping
from leadline.model.run import RankFacts, Run
from leadline.model.screen import Difference
from leadline.site.doctor.elsewhere import examine_elsewhere, sent_files, wanted_files
from leadline.site.hardware.kind import FILES, hardware

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

    replace = msgspec.structs.replace
    launches = [replace(each, points=kept(each.points)) for each in prepared.launches]
    return replace(prepared, points=list(kept(prepared.points)), launches=launches)


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
            launch.points,
            key=lambda point: (round_of(point), order[by_point[point.index].name]),
        )
        files = {FACTS: "\n".join(dict.fromkeys((*wanted_files(), *FILES))) + "\n"}
        if rounds:
            files[SCHEDULE] = schedule_text(rounds)
        return msgspec.structs.replace(
            launch,
            points=tuple(points),
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


_STEP_S = 0.5


class Watch:
    """Calls `ask`, in a thread of its own, when `news` was not called for `quiet_s` seconds.

    It asks again after as long, until the answer, which is `hung` then, is not empty.
    """

    def __init__(self, quiet_s: float, ask: Callable[[], dict[str, str]]) -> None:
        self.hung: dict[str, str] = {}
        self._quiet_s = quiet_s
        self._ask = ask
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def news(self) -> None:
        """Note that something happened."""
        self._last = time.monotonic()

    def __enter__(self) -> Watch:
        """Begin."""
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End, and wait for an answer that is on its way."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(min(_STEP_S, self._quiet_s)):
            if time.monotonic() - self._last > self._quiet_s:
                self.hung = self._ask()
                if self.hung:
                    return
                self._last = time.monotonic()


def kinds_by_rank(facts: Sequence[RankFacts], nodes: int) -> list[str]:
    """Return the kind of each rank's node; those that said nothing are of one kind."""
    found = kinds({str(each.rank): hardware(sent_files(each.files)) for each in facts})
    return [found.get(str(rank), "") for rank in range(nodes)]


def kinds_of(run: Run, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the nodes of each kind, without those that said nothing; `names` are by rank."""
    facts = [each for launch in run.launches for each in launch.facts]
    by_rank = kinds_by_rank(facts, len(names))
    return {
        kind: tuple(name for name, own in zip(names, by_rank, strict=True) if own == kind)
        for kind in dict.fromkeys(by_rank)
        if kind
    }


def differences(run: Run, names: Sequence[str]) -> tuple[Difference, ...]:
    """Return how nodes differ from the others in what they said; `names` are those of the ranks.

    Settings are compared with those of nodes of the same kind.
    """
    differences: list[Difference] = []
    for launch in run.launches:
        by_rank = kinds_by_rank(launch.facts, len(names))
        for kind in dict.fromkeys(by_rank):
            alike = [each for each in launch.facts if by_rank[each.rank] == kind]
            seen = {names[each.rank]: examine_elsewhere(each.files) for each in alike}
            differences += setting_differences(seen)
        error_s = launch.clock.sync_error_s if launch.clock else 0.0
        wall_s = {names[each.rank]: each.wall_s for each in launch.facts}
        differences += clock_differences(wall_s, error_s)
    return tuple(differences)
