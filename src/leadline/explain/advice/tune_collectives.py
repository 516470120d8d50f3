"""Collectives that take time of their own and have not been tuned for this shape."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.explain.bounds import collective_of
from leadline.explain.case import Advice, Case, about_s
from leadline.explain.recording import COLLECTIVES, Row

# With more sizes a tuning has little time for each.
_MOST_SIZES = 8


def advise(case: Case) -> Iterator[Advice]:
    """Tell which collectives to tune: for the shape on which they take the most time."""
    by_shape: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in case.rows:
        name = collective_of(row.function.name)
        whole = row.nodes > 0 and row.comm_ranks % row.nodes == 0
        if row.function.kind in COLLECTIVES and name in case.tunable and whole:
            by_shape[row.comm_ranks, row.nodes].append(row)
    tuned = {(rule.processes, rule.nodes) for rule in case.bounds.rules}
    for shape, rows in by_shape.items():
        seconds: dict[str, float] = defaultdict(float)
        for row in rows:
            seconds[row.function.name] += row.own_s
        total = case.per_rank(sum(seconds.values()))
        ranks, nodes = shape
        if shape in tuned or ranks < 2 or not case.is_worth(total):
            continue
        costly = [
            name for name in sorted(seconds, key=lambda name: -seconds[name])
            if seconds[name] >= 0.1 * sum(seconds.values())
        ]  # fmt: skip
        sizes = _sizes([row for row in rows if row.function.name in costly])
        take, them = ("takes", "it") if len(costly) == 1 else ("take", "them")
        yield Advice(
            text=f"{', '.join(costly)} {take} {about_s(total)} beyond waiting: tune {them} for "
            "these sizes.",
            command=case.leadline(
                "tune",
                *map(collective_of, costly),
                "--place",
                f"{nodes}x{ranks // nodes}",
                *case.named_mpi,
                *(("--bytes", ",".join(map(str, sizes))) if sizes else ()),
            ),
            stake_s=total,
        )


def _sizes(rows: list[Row]) -> list[int]:
    """Return the sizes that take the most time, ascending."""
    seconds: dict[int, float] = defaultdict(float)
    for row in rows:
        if row.mean_bytes >= 1:
            seconds[round(row.mean_bytes)] += row.own_s
    return sorted(sorted(seconds, key=lambda size: -seconds[size])[:_MOST_SIZES])
