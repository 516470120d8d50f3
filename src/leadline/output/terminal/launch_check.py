"""What `leadline check` found, for people: the answer first, then what shows it, then the fix."""

from collections.abc import Iterator

from leadline.check.launchers import named
from leadline.check.report import CheckedRank, LaunchCheck
from leadline.core.units import count, number
from leadline.output.terminal.text import cut, filled, printable
from leadline.site.hardware.files import format_cpus

_MOST_RANKS = 8


def lines(checked: LaunchCheck, missing: str = "") -> Iterator[str]:
    """Yield the lines of the answer, at most 80 columns wide but for commands.

    `missing` is what the command was to start, where that is not there.
    """
    yield from _headline(checked, missing)
    for place, fault in enumerate(checked.findings, 1):
        yield ""
        yield from filled(fault.text, f"{place:2}  ")
        for each in fault.evidence:
            yield from filled(each, "      ")
        yield f"    {printable(fault.fix)}"
    if not checked.ranks:
        return
    yield ""
    yield from _ranks(checked.ranks)
    for transport in checked.transports:
        ways = ", ".join(transport.ways) or "nothing seen yet"
        yield from filled(f"Messages {transport.distance}: {ways}.")
    if checked.collectives:
        yield from filled(f"Components of collectives: {', '.join(checked.collectives)}.")
    for each in checked.not_judged:
        yield from filled(f"Not judged: {each}.")
    if checked.elsewhere:
        yield f"{count(checked.elsewhere, 'rank')} on other hosts: not looked at."


def _headline(checked: LaunchCheck, missing: str) -> Iterator[str]:
    launcher = named(checked.launcher)
    faults = len(checked.findings)
    said = count(faults, "fault") if faults else "nothing wrong"
    if checked.not_judged and not faults:
        said += " in what could be judged"
    if checked.status:
        said += f" seen before the program failed (status {checked.status})"
    if not checked.ranks:
        said = said if faults else "no answer"
        unseen = "no rank was seen: the command ended first, or is no MPI program"
        why = f"{missing} is not there" if missing else unseen
        yield from filled(f"=== leadline check: {said}: {why}.")
        return
    started = f", started by {launcher.title}" if launcher.programs else ""
    yield from filled(
        f"=== leadline check: {said}: {count(len(checked.ranks), 'rank')} on "
        f"{checked.ranks[0].host}{started}, seen for {number(checked.seconds)} s.",
        "",
    )


def _ranks(ranks: tuple[CheckedRank, ...]) -> Iterator[str]:
    yield " rank  may use cores was on    threads  busy  had its core"
    for rank in ranks[:_MOST_RANKS]:
        busy = [thread for thread in rank.threads if thread.wanted > 0.5]
        had = sum(thread.ran for thread in busy) / (sum(thread.wanted for thread in busy) or 1.0)
        places = {core for thread in busy or rank.threads[:1] for core in thread.seen_on}
        yield (
            f"{rank.rank:5}  {cut(format_cpus(rank.cores), 13):<14}"
            f"{cut(format_cpus(places), 9):<10}{len(rank.threads):7}  {len(busy):4}  "
            f"{f'{100 * had:.0f} %' if busy else '-'}"
        )
    if len(ranks) > _MOST_RANKS:
        yield f"      and {count(len(ranks) - _MOST_RANKS, 'rank')} more: --json lists them"
