"""Advice on ranks: who is late, and what holds them up."""

import statistics
from collections.abc import Iterator

from leadline.core.units import count, times
from leadline.explain.case import Advice, Case, about_s, percent_of, rank_words
from leadline.explain.recording import MESSAGES

# A rank that computes so much more than the median does more work.
_MORE = 0.03
# Of the data that leave their node: another order of ranks may keep more inside.
_MUCH = 0.5
# So large a part of their time has to be idle for threads to be named.
_IDLE = 0.2
# Of the time that their rank computes: threads that want a processor for less crowd nobody.
_WANTED = 0.2
# So large a part of the waiting that processors lost to others explain makes them its cause.
_DISTURBS = 0.5


def advise_uneven_work(case: Case) -> Iterator[Advice]:
    """Tell what the late ranks do more than the other ranks."""
    late = case.late.ranks
    theirs = [rank.computing_s for rank in case.ranks if rank.rank in late]
    rest = [rank.computing_s for rank in case.ranks if rank.rank not in late]
    if case.late.verdict != "rank" or not case.is_worth(case.waiting_s) or not (theirs and rest):
        return
    computing, usual, most = statistics.mean(theirs), statistics.median(rest), None
    # Even work takes from the late ranks what they compute beyond the mean, and beyond the median.
    beyond = max(theirs) - max(statistics.mean([*theirs, *rest]), usual)
    files = _more_files_s(case)
    one = len(late) == 1
    command = case.show_sites()
    if files > 0.5 * case.waiting_s:
        text = (
            f"{'does' if one else 'do'} I/O for {about_s(files)} while other ranks wait: let all "
            "ranks write, or write while computing."
        )
    elif usual > 0 and computing > (1 + _MORE) * usual and beyond > 0:
        most = beyond
        more = (
            f"{percent_of(computing - usual, usual)} more than"
            if computing < 2 * usual
            else f"{times(computing / usual)} as long as"
        )
        text = (
            f"{'computes' if one else 'compute'} {more} the median of the rest: even work would "
            f"save at most {about_s(most)}."
        )
        command = case.leadline("check", program=True) if case.command else command
    else:
        even = usual <= 0 or computing <= (1 + _MORE) * usual
        how = "without computing more" if even else "though others compute longer"
        text = f"{'comes' if one else 'come'} late {how}: see in which calls."
    yield Advice(
        text=f"{rank_words(late)} {text}", command=command, high_s=most, stake_s=case.waiting_s
    )


def _more_files_s(case: Case) -> float:
    """Return by how much longer the late ranks were in file I/O than the rest, on average."""
    late = case.late.ranks
    theirs = [rank.files_s for rank in case.recording.ranks if rank.rank in late]
    rest = [rank.files_s for rank in case.recording.ranks if rank.rank not in late]
    return statistics.mean(theirs) - statistics.mean(rest)


def advise_slow_node(case: Case) -> Iterator[Advice]:
    """Tell which node is slow."""
    if case.late.verdict != "node" or not case.is_worth(case.waiting_s):
        return
    host = next(rank.host for rank in case.recording.ranks if rank.node == case.late.node)
    yield Advice(
        text=f"All ranks of node {host} are late: {percent_of(case.late.share, 1)} of the waiting "
        "is for them. Look there for what holds it up.",
        command=case.leadline("check"),
        stake_s=case.waiting_s,
    )


def advise_chain(case: Case) -> Iterator[Advice]:
    """Tell that the ranks compute one after the other."""
    if case.late.verdict != "chain" or case.lacks_cores:
        return
    yield Advice(
        text=f"Ranks wait for what another one computes, and {case.late.at_once:.2g} of "
        f"{len(case.ranks)} compute at a time. Let each send its result in parts, or work on "
        f"something else meanwhile: that saves at most {about_s(case.waiting_s)}.",
        command=case.show_sites(),
        high_s=case.waiting_s,
        stake_s=case.waiting_s,
    )


def _is_disturbed(case: Case) -> bool | None:
    """Tell whether the ranks lost their processors for what others waited; None: not known.

    For the time that one of them has none all others wait.
    """
    if case.queued_s is None:
        return None
    return case.queued_s * (len(case.ranks) - 1) >= _DISTURBS * case.waiting_s


def advise_noise(case: Case) -> Iterator[Advice]:
    """Tell whether the work changes from call to call, or something disturbs the ranks in turn."""
    if case.late.verdict != "noise" or case.lacks_cores or not case.is_worth(case.waiting_s):
        return
    disturbed = _is_disturbed(case)
    what = {
        True: "others take the processors of the ranks in turn",
        False: "nothing takes a processor from them, so their work changes from call to call. "
        "More work between two calls, or calls that do not wait, even it out",
        None: "the work of a rank changes from call to call, or something disturbs them in turn",
    }[disturbed]
    yield Advice(
        text=f"Another rank is late each time, which costs "
        f"{percent_of(case.waiting_s, case.seconds)}: {what}.",
        command=case.show_sites() if disturbed is False else case.leadline("check"),
        stake_s=case.waiting_s,
    )


def advise_no_processor(case: Case) -> Iterator[Advice]:
    """Tell how long ranks that could run had no processor."""
    queued = case.queued_s
    if queued is None or case.shares_cores or not case.is_worth(queued):
        return
    yield Advice(
        text=f"For {percent_of(queued, case.seconds)} of the time a rank could have run and had no "
        "processor: other programs, other ranks or its own threads had it. What it does then takes "
        "longer, and others wait for it.",
        command=case.leadline("check", program=True),
        high_s=queued,
        stake_s=queued,
    )


def advise_more_ranks_than_cores(case: Case) -> Iterator[Advice]:
    """Tell how many ranks share how many cores, and how long those that could run did not."""
    queued = case.queued_s
    stake_s = case.waiting_s if queued is None else queued
    if not case.lacks_cores or not case.is_worth(stake_s):
        return
    what = "a rank waits while another one runs, which is"
    if queued is not None:
        what = "a rank that could run had no core for"
    yield Advice(
        text=f"{case.recording.ranks_total} ranks share {count(case.cores, 'core')}: {what} "
        f"{percent_of(stake_s, case.seconds)} of the time. Start at most {case.cores} here.",
        command=case.leadline("check", program=True),
        stake_s=stake_s,
    )


def advise_idle_threads(case: Case) -> Iterator[Advice]:
    """Tell how long the cores of threads were idle while their ranks computed.

    Where a thread spins for work it counts as busy, so it is as long at least.
    """
    ranks = [(rank, time) for rank, time in zip(case.recording.ranks, case.ranks, strict=True)]
    all_threads = sum(1 + (rank.threads.workers if rank.threads else 0) for rank, _ in ranks)
    if 0 < case.cores < all_threads:
        return
    there_s = idle_s = 0.0
    for rank, time in ranks:
        if rank.threads is None or rank.queued_s is None:
            continue
        computing_s = max(time.computing_s - rank.queued_s, 0.0) * rank.threads.workers
        there_s += computing_s
        idle_s += max(computing_s - rank.threads.wanted_s, 0.0)
    workers = max((rank.threads.workers for rank, _ in ranks if rank.threads), default=0)
    stake_s = case.per_rank(idle_s / (workers + 1))
    if idle_s < _IDLE * there_s or not case.is_worth(stake_s):
        return
    yield Advice(
        text=f"While a rank computes, its {count(workers, 'further thread')} "
        f"{'has' if workers == 1 else 'have'} no work for {percent_of(idle_s, there_s)} of the "
        "time at least: what one thread does alone is worth sharing.",
        command=case.show_sites(),
        high_s=stake_s,
        stake_s=stake_s,
    )


def advise_crowded_threads(case: Case) -> Iterator[Advice]:
    """Tell how many threads of a rank share how many cores."""
    crowded = [
        rank.threads
        for rank, time in zip(case.recording.ranks, case.ranks, strict=True)
        if rank.threads
        and rank.threads.cores <= rank.threads.workers
        and rank.threads.wanted_s >= _WANTED * time.computing_s
    ]
    if not crowded:
        return
    most = max(crowded, key=lambda each: each.workers / each.cores)
    stake_s = case.per_rank(sum(time.computing_s for time in case.ranks))
    yield Advice(
        text=f"The {most.workers + 1} threads of a rank may use {count(most.cores, 'core')}: give "
        "it more cores, or start fewer threads.",
        command=case.leadline("check", program=True),
        stake_s=stake_s * (1 - most.cores / (most.workers + 1)),
    )


def advise_rank_order(case: Case) -> Iterator[Advice]:
    """Tell which part of the data leaves the nodes, where another order may keep more inside."""
    recording = case.recording
    ranks, nodes = len(recording.ranks), recording.nodes
    if nodes < 2 or ranks % nodes or ranks == nodes or not case.matrix:
        return
    inside, outside = recording.sent(lambda peer: peer.bytes)
    rows = (row for row in case.rows if row.function.kind in MESSAGES)
    seconds = case.per_rank(sum(row.own_s for row in rows))
    if outside < _MUCH * (inside + outside) or not outside or not case.is_worth(seconds):
        return
    place = f"{nodes}x{ranks // nodes}"
    yield Advice(
        text=f"{percent_of(outside, inside + outside)} of the data sent leave their node: another "
        "order of ranks may keep more of it inside.",
        command=case.leadline(
            "rank-order", "--place", place, "--matrix", case.matrix, "--order", "optimised"
        ),
        stake_s=seconds,
    )
