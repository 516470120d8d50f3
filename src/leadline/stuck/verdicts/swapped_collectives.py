"""Ranks that call collectives of one communicator in different orders."""

from collections import Counter
from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import ENDS, Job, Rank, capital, described, named, numbers
from leadline.stuck.steps import overtaken

GRAVITY = 20


def find(job: Job) -> Iterator[Hang]:
    """Tell of different functions as the same call of a communicator."""
    for ranks in job.collectives().values():
        functions = Counter(rank.call.function for rank in ranks if rank.call.function not in ENDS)
        if len(functions) > 1:
            yield _different(ranks, functions)
    for behind, ahead in overtaken(job):
        never = [rank for rank in ahead if behind[0].call.function not in rank.called]
        if never and behind[0].call.function not in ENDS:
            yield _left_out(behind, never)


def _different(ranks: list[Rank], functions: Counter[str]) -> Hang:
    ordered = [name for name, _ in functions.most_common()]
    groups = [[rank for rank in ranks if rank.call.function == name] for name in ordered]
    said = " and ".join(f"{named(group)} in {group[0].call.function}" for group in groups)
    fewest = functions[ordered[-1]]
    odd = [rank for rank in ranks if functions[rank.call.function] == fewest]
    return Hang(
        ranks=numbers(odd),
        text=f"Call {ranks[0].call.number} of {ranks[0].call.on} finds {said}.",
        evidence=described(ranks),
        fix="Call collectives in the same order on all ranks; look for a condition around one.",
    )


def _left_out(behind: list[Rank], never: list[Rank]) -> Hang:
    call = behind[0].call
    return Hang(
        ranks=numbers(never),
        missing=numbers(never),
        text=f"{capital(named(never))} went beyond call {call.number} of {call.on} without "
        f"{call.function}, in which {named(behind)} {'waits' if len(behind) == 1 else 'wait'}.",
        evidence=described([*behind, *never]),
        fix="Call collectives in the same order on all ranks; look for a condition around one.",
    )
