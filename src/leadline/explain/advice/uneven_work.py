"""A rank, or a few, for which all others wait: since they compute more, or do the I/O."""

import statistics
from collections.abc import Iterator

from leadline.core.units import times
from leadline.explain.case import Advice, Case, about_s, percent_of
from leadline.explain.ranks import rank_words

# A rank that computes so much more than the median does more work.
_MORE = 0.03


def advise(case: Case) -> Iterator[Advice]:
    """Tell what the late ranks do more than the other ranks."""
    late = case.late
    waiting = case.per_rank(sum(rank.waiting_s for rank in case.ranks))
    if late.verdict != "rank" or not case.is_worth(waiting):
        return
    theirs = [rank for rank in case.ranks if rank.rank in late.ranks]
    rest = [rank for rank in case.ranks if rank.rank not in late.ranks]
    if not theirs or not rest:
        return
    computing = statistics.mean(rank.computing_s for rank in theirs)
    usual = statistics.median(rank.computing_s for rank in rest)
    files = _files(case, late.ranks)
    name = rank_words(late.ranks)
    verb = "computes" if len(late.ranks) == 1 else "compute"
    if files > 0.5 * waiting:
        does = "does" if len(late.ranks) == 1 else "do"
        yield Advice(
            text=f"{name} {does} I/O for {about_s(files)} while other ranks wait: let all ranks "
            "write, or write while computing.",
            command=case.show_sites(),
            stake_s=waiting,
        )
    elif usual > 0 and computing > (1 + _MORE) * usual:
        mean = statistics.mean(rank.computing_s for rank in case.ranks)
        most = max(rank.computing_s for rank in case.ranks) - mean
        more = (
            f"{percent_of(computing - usual, usual)} more than"
            if computing < 2 * usual
            else f"{times(computing / usual)} as long as"
        )
        yield Advice(
            text=f"{name} {verb} {more} the median of the rest: even work would save at most "
            f"{about_s(most)}.",
            command=case.leadline("check", program=True) if case.command else case.show_sites(),
            high_s=most,
            stake_s=waiting,
        )
    else:
        yield Advice(
            text=f"{name} {'comes' if len(late.ranks) == 1 else 'come'} late without computing "
            "more: see in which calls.",
            command=case.show_sites(),
            stake_s=waiting,
        )


def _files(case: Case, late: tuple[int, ...]) -> float:
    """Return by how much longer the late ranks were in file I/O than the rest, on average."""
    theirs = [rank.files_s for rank in case.recording.ranks if rank.rank in late]
    rest = [rank.files_s for rank in case.recording.ranks if rank.rank not in late]
    return statistics.mean(theirs) - statistics.mean(rest)
