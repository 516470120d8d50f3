"""Another rank that is late each time, though all compute alike."""

import statistics
from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of

_ALIKE = 0.05


def advise(case: Case) -> Iterator[Advice]:
    """Tell that something disturbs the ranks in turn."""
    waiting = case.per_rank(sum(rank.waiting_s for rank in case.ranks))
    if case.late.verdict != "noise" or case.shares_cores or not case.is_worth(waiting):
        return
    computing = [rank.computing_s for rank in case.ranks]
    spread = max(computing) - min(computing)
    alike = spread <= _ALIKE * statistics.mean(computing)
    what = (
        "all ranks compute equally long, so that something disturbs them in turn"
        if alike
        else "the work of a rank changes from call to call, or something disturbs the ranks in turn"
    )
    yield Advice(
        text=f"Another rank is late each time, which costs "
        f"{percent_of(waiting, case.seconds)}: {what}.",
        command=case.leadline("doctor"),
        stake_s=waiting,
    )
