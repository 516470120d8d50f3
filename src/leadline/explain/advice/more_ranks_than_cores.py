"""More ranks than cores: each waits while another one runs."""

from collections.abc import Iterator

from leadline.core.units import count
from leadline.explain.case import Advice, Case, percent_of


def advise(case: Case) -> Iterator[Advice]:
    """Tell how many ranks share how many cores."""
    waiting = case.per_rank(sum(rank.waiting_s for rank in case.ranks))
    if not case.shares_cores or not case.is_worth(waiting):
        return
    yield Advice(
        text=f"{case.recording.ranks_total} ranks share {count(case.cores, 'core')}: a rank waits "
        f"while another one runs, which is {percent_of(waiting, case.seconds)} of the time. Start "
        f"at most {case.cores} here.",
        command=case.leadline("check", program=True),
        stake_s=waiting,
    )
