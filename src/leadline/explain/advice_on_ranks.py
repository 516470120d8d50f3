"""Advice on ranks: who is late, and what holds them up."""

import statistics
from collections.abc import Iterator

from leadline.core.units import count, times
from leadline.explain.case import Advice, Case, about_s, percent_of, rank_words
from leadline.explain.recording import MESSAGES

# A rank that computes so much more than the median does more work.
_MORE = 0.03


def advise_uneven_work(case: Case) -> Iterator[Advice]:
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


def advise_slow_node(case: Case) -> Iterator[Advice]:
    """Tell which node is slow."""
    waiting = case.per_rank(sum(rank.waiting_s for rank in case.ranks))
    if case.late.verdict != "node" or not case.is_worth(waiting):
        return
    host = next(rank.host for rank in case.recording.ranks if rank.node == case.late.node)
    yield Advice(
        text=f"All ranks of node {host} are late: {percent_of(case.late.share, 1)} of the waiting "
        "is for them. Look there for what holds it up.",
        command=case.leadline("check"),
        stake_s=waiting,
    )


_ALIKE = 0.05


def advise_noise(case: Case) -> Iterator[Advice]:
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
        command=case.leadline("check"),
        stake_s=waiting,
    )


def advise_more_ranks_than_cores(case: Case) -> Iterator[Advice]:
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


_MUCH = 0.5


def advise_rank_order(case: Case) -> Iterator[Advice]:
    """Tell which part of the data leaves the nodes, where another order may keep more inside."""
    recording = case.recording
    ranks, nodes = len(recording.ranks), recording.nodes
    if nodes < 2 or ranks % nodes or ranks == nodes or not case.matrix:
        return
    node_of = {rank.rank: rank.node for rank in recording.ranks}
    inside = outside = 0
    for rank in recording.ranks:
        for other, peer in rank.peers.items():
            if node_of.get(other) == rank.node:
                inside += peer.bytes
            else:
                outside += peer.bytes
    rows = (row for row in case.rows if row.function.kind in MESSAGES)
    seconds = case.per_rank(sum(row.own_s for row in rows))
    if outside < _MUCH * (inside + outside) or not outside or not case.is_worth(seconds):
        return
    yield Advice(
        text=f"{percent_of(outside, inside + outside)} of the data sent leave their node: another "
        "order of ranks may keep more of it inside.",
        command=case.leadline(
            "rank-order", "--place", f"{nodes}x{ranks // nodes}", "--matrix", case.matrix,
            "--order", "optimised",
        ),
        stake_s=seconds,
    )  # fmt: skip
