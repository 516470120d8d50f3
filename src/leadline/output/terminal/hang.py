"""What `leadline stuck` found, for people: the verdict, where the ranks are, what to do."""

from collections.abc import Iterator, Sequence

from leadline.core.units import count
from leadline.output.terminal.text import WIDTH, cut, filled, printable
from leadline.site.hardware.files import format_cpus
from leadline.stuck.job import ago
from leadline.stuck.report import StuckJob, StuckRank

_MOST_GROUPS = 16
_OUTSIDE = "leadline explain -- COMMAND"


def lines(stuck: StuckJob) -> Iterator[str]:
    """Yield the lines of the answer, at most 80 columns wide but for commands."""
    seen = "seen from outside: " if stuck.source == "outside" else ""
    if stuck.has_ended:
        seen = "when it was ended: "
    yield from filled(f"=== leadline stuck: {seen}{stuck.text}")
    yield ""
    yield from _table(stuck.ranks)
    if len(stuck.ranks) < stuck.size:
        yield f"{count(stuck.size - len(stuck.ranks), 'rank')} of {stuck.size}: not seen here."
    for place, hang in enumerate(stuck.findings, 1):
        yield ""
        yield from filled(hang.text, f"{place:2}  ")
        for each in hang.evidence:
            yield from filled(each, "      ")
        if hang.fix.endswith("."):
            yield from filled(hang.fix, "    ")
        else:
            yield f"    {printable(hang.fix)}"
    for each in stuck.not_judged:
        yield from filled(f"Not judged: {each}.")
    if stuck.source == "outside":
        yield ""
        yield "From outside only processes are seen. Started so, each rank tells its call:"
        yield f"    {_OUTSIDE}"
    elif not stuck.findings and not stuck.has_ended:
        yield ""
        yield "Ask again in a minute: what stands here for long is stuck."


def _table(ranks: Sequence[StuckRank]) -> Iterator[str]:
    groups: dict[tuple[object, ...], list[StuckRank]] = {}
    for rank in ranks:
        where = (rank.call, rank.place, rank.communicator, rank.number, rank.process.split()[0])
        groups.setdefault(where, []).append(rank)
    yield " ranks        call                   on                   for      process"
    for group in list(groups.values())[:_MOST_GROUPS]:
        first = group[0]
        numbers = format_cpus(rank.rank for rank in group if rank.rank >= 0) or "?"
        known = [rank.since_s for rank in group if rank.since_s is not None]
        lasts = ago(max(known)) if known else ""
        on = first.communicator.removeprefix("MPI_").replace("communicator", "comm.")
        if first.number is not None and on:
            on = f"{on} #{first.number}"
        call = first.call or ("" if _is_unknown(first) else "own code")
        yield (
            f" {cut(numbers, 12):<13}{cut(call, 22):<23}{cut(on, 20):<21}"
            f"{lasts:<9}{cut(first.process, 13)}"
        ).rstrip()
        detail = f"at {first.place}" if first.place else " < ".join(first.stack[:3])
        if detail:
            yield f"{'':14}{cut(printable(detail), WIDTH - 14)}"
    if len(groups) > _MOST_GROUPS:
        yield f" and {len(groups) - _MOST_GROUPS} calls more: --json lists them"


def _is_unknown(rank: StuckRank) -> bool:
    """Tell whether nobody knows if the rank is in its own code: it is gone, or was not asked."""
    return rank.since_s is None and not rank.stack
