"""Collectives that take time of their own and have not been tuned for this shape."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.explain.bounds import collective_of
from leadline.explain.case import Advice, Case, about_s
from leadline.explain.recording import COLLECTIVES

# Of the time in collectives: one that takes less is not named.
_NAMED = 0.1


def advise(case: Case) -> Iterator[Advice]:
    """Tell to tune what the program has; none of its calls can save more than it takes."""
    tuned = {(rule.processes, rule.nodes) for rule in case.bounds.rules}
    seconds: dict[str, float] = defaultdict(float)
    for row in case.rows:
        name, shape = collective_of(row.function.name), (row.comm_ranks, row.nodes)
        if row.function.kind in COLLECTIVES and name in case.tunable and row.is_even:
            seconds[row.function.name] += 0.0 if shape in tuned else row.own_s
    total = case.per_rank(sum(seconds.values()))
    if not case.run or not case.is_worth(total):
        return
    costly = [
        name for name in sorted(seconds, key=lambda name: -seconds[name])
        if seconds[name] >= _NAMED * sum(seconds.values())
    ]  # fmt: skip
    take = "takes" if len(costly) == 1 else "take"
    yield Advice(
        text=f"{', '.join(costly)} {take} {about_s(total)} beyond waiting: tuning for this program "
        "saves at most that.",
        command=case.leadline("tune", "--from", case.run),
        high_s=total,
        stake_s=total,
    )
