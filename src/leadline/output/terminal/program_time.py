"""Where a program's time went, for people: the answer, the owners, who is late, the calls, advice.

At most 80 columns wide but for commands, which are never broken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, TextIO

from leadline.core.units import about_bytes, count
from leadline.explain.case import about_s, percent_of
from leadline.explain.lateness import Lateness
from leadline.explain.owners import RankTime, total
from leadline.explain.ranks import rank_words
from leadline.explain.report import Explained, Sent, SiteTime
from leadline.output.table import Column, Table, number, table_of
from leadline.output.terminal.console import console_for
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 80
_PLACES, _ADVICE, _PAIRS = 10, 3, 20
_BAR = 30
# The owners: what a bar says, what the headline says, and the colour of the bar.
_OWNERS = (
    ("computing_s", "computing", "computing", "green"),
    ("waiting_s", "waiting for late ranks", "waiting for late ranks", "red"),
    ("transfer_s", "moving data", "moving data", "blue"),
    ("excess_s", "slower than measured", "slower than this machine was measured", "yellow"),
    ("tunable_s", "tuning would save", "that tuning would save", "magenta"),
)


def print_explained(found: Explained, file: TextIO | None = None, *, full: bool = False) -> None:
    """Print the answer on `file` (default: stdout); with `full` all places, ranks and pairs.

    In colour only on a terminal, and not where NO_COLOR is set.
    """
    console = console_for(file)
    for line in lines(found, full=full):
        console.print(line, soft_wrap=True, markup=False)


def lines(found: Explained, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of the answer."""
    from rich.text import Text

    for line in _wrapped(f"=== leadline explain: {headline(found)}"):
        yield Text(line, style="bold")
    yield Text(_started(found), style="dim")
    yield Text()
    yield from _bars(total(found.ranks), len(found.ranks))
    if said := lateness_text(found):
        yield Text()
        yield from _plain(_wrapped(said))
    if found.sites:
        yield Text()
        yield from draw(_places(found, full), WIDTH)
    for place, advice in enumerate(found.advice if full else found.advice[:_ADVICE], 1):
        yield Text()
        yield from _plain(_wrapped(advice.text, f"{place:2}  "))
        if advice.command:
            yield Text(f"    {printable(advice.command)}", style="cyan")
    if full:
        yield from _details(found)
    yield Text()
    yield from _trust(found)
    if not full and found.run:
        yield Text("All places, all ranks, who sends to whom:", style="dim")
        yield Text(f"    leadline explain --full {printable(found.run)}", style="cyan")


def headline(found: Explained) -> str:
    """Return the answer in a sentence: the owners of the time, and who is late."""
    everything = total(found.ranks)
    parts = [
        f"{percent_of(seconds, everything.seconds)} {said}"
        for name, _, said, _ in _OWNERS
        if (seconds := getattr(everything, name)) >= 0.005 * everything.seconds
    ]
    late = _late_words(found)
    return f"{', '.join(parts) or 'no time'}{f': {late}' if late else ''}."


def lateness_text(found: Explained) -> str:
    """Return who is late in full, empty where nobody is."""
    late = found.late
    names = {"rank": _late_ranks(late), "node": _late_node(found)}
    share = percent_of(late.share, 1)
    if late.verdict in names:
        calls = f"{count(late.calls, 'time')}, {about_s(late.late_s)} on average"
        return (
            f"{names[late.verdict]} came last {calls}: {share} of the waiting whose cause is known."
        )
    if late.verdict == "noise":
        often = f"{count(late.calls, 'time')}, {about_s(late.late_s)} on average"
        return f"Another rank came last each time ({often}): nobody causes most of the waiting."
    if late.verdict == "library":
        return "Hardly any rank waits: calls take longer than this machine was measured to need."
    return ""


def _late_words(found: Explained) -> str:
    late = found.late
    if late.verdict == "rank":
        verb = "is" if len(late.ranks) == 1 else "are"
        ranks = _late_ranks(late)
        return f"{ranks[0].lower()}{ranks[1:]} {verb} late by {about_s(late.late_s)} a call"
    if late.verdict == "node":
        return f"{_late_node(found).lower()} are late by {about_s(late.late_s)} a call"
    return {
        "noise": "another rank is late each time",
        "library": "the library is the cause, no rank is late",
    }.get(late.verdict, "")


def _late_ranks(late: Lateness) -> str:
    return rank_words(late.ranks) if late.ranks else ""


def _late_node(found: Explained) -> str:
    return f"All ranks of node {found.late.node}"


def _started(found: Explained) -> str:
    import shlex

    hosts = found.hosts[0] if len(found.hosts) == 1 else count(len(found.hosts), "host")
    said = (
        f"{count(len(found.ranks), 'rank')} on {hosts}, {about_s(found.seconds)}, "
        f"{found.mpi or found.library or 'unknown MPI'}: {shlex.join(found.command)}"
    )
    said = printable(said).removesuffix(": ")
    return said if len(said) <= WIDTH else f"{said[: WIDTH - 1]}…"


def _bars(everything: RankTime, ranks: int) -> Iterator[Text]:
    """Yield a line for each owner: its seconds of an average rank, its part, its bar."""
    from rich.text import Text

    width = max(len(name) for _, name, _, _ in _OWNERS)
    whole = everything.seconds
    for field, name, _, style in _OWNERS:
        seconds = getattr(everything, field)
        part = seconds / whole if whole else 0.0
        line = Text(f"  {name:<{width}} {about_s(seconds / ranks):>8} {percent_of(part, 1):>7}  ")
        line.append("█" * max(round(_BAR * part), 1 if part > 0.002 else 0), style)
        line.rstrip()
        yield line
    yield Text(f"  {'wall time of a rank':<{width}} {about_s(whole / ranks):>8}")


def _places(found: Explained, full: bool) -> Table:
    sites = found.sites if full else found.sites[:_PLACES]
    whole = total(found.ranks).seconds
    rows = [_place(site, whole, len(found.ranks)) for site in sites]
    caption = "" if len(sites) == len(found.sites) else f"{len(sites)} of {len(found.sites)} places"
    columns = (
        Column("call", cut=True),
        Column("where", cut=True),
        number("size"),
        number("calls"),
        number("%"),
        number("waiting"),
        number("transfer"),
        number("measured"),
    )
    return table_of(columns, rows, caption)


def _place(site: SiteTime, whole: float, ranks: int) -> tuple[str, ...]:
    """Return the cells of a place; times are those of an average rank."""
    return (
        site.call,
        site.where or "-",
        about_bytes(site.bytes),
        str(site.calls),
        percent_of(site.seconds, whole).removesuffix(" %"),
        f"{'>' if site.at_least else ''}{about_s(site.waiting_s / ranks)}",
        about_s(site.own_s / ranks),
        "-" if site.bound_s is None else about_s(site.bound_s / ranks),
    )


def _details(found: Explained) -> Iterator[Text]:
    """Yield each rank's owners, POP's factors, and the pairs that send the most."""
    from rich.text import Text

    columns = (number("rank"), *(number(name) for name in _SHORT))
    rows = [
        (str(rank.rank), *(about_s(getattr(rank, name)) for name, *_ in _OWNERS))
        for rank in found.ranks
    ]
    yield Text()
    yield from draw(table_of(columns, rows, "seconds of each rank by owner"), WIDTH)
    factors = found.efficiency
    yield Text()
    yield from _plain(
        _wrapped(
            f"POP: parallel efficiency {factors.parallel:.2f} = load balance "
            f"{factors.load_balance:.2f} x serialisation {factors.serialisation:.2f} x transfer "
            f"{factors.transfer:.2f}."
        )
    )
    if found.sent:
        yield Text()
        yield from draw(_pairs(found.sent), WIDTH)


_SHORT = ("computing", "waiting", "moving", "slower", "tunable")


def _pairs(sent: tuple[Sent, ...]) -> Table:
    largest = sorted(sent, key=lambda each: (-each.bytes, each.rank, each.peer))[:_PAIRS]
    peers: dict[int, int] = defaultdict(int)
    for each in sent:
        peers[each.rank] += 1
    rows = [
        (str(each.rank), str(each.peer), str(each.messages), about_bytes(each.bytes))
        for each in largest
    ]
    caption = f"{len(largest)} of {count(len(sent), 'pair')}; a rank sends to {max(peers.values())}"
    columns = (number("from"), number("to"), number("messages"), number("data"))
    return table_of(columns, rows, f"{caption} at most")


def _trust(found: Explained) -> Iterator[Text]:
    """Yield how far to trust the answer: what was lost, and what no bound is known of."""
    from rich.text import Text

    said = " ".join(found.notes)
    own = total(found.ranks).own_s
    known = f"A measured bound is known of {percent_of(found.bounded, 1)} of the transfer."
    if own and found.bounded < 0.995:
        said = f"{said} {known}".strip()
    yield from _plain(_wrapped(said or "Nothing was lost."))
    if found.measure:
        yield Text("Measure what is missing, then explain again:")
        for command in found.measure:
            yield Text(f"    {printable(command)}", style="cyan")


def _plain(texts: Iterator[str]) -> Iterator[Text]:
    from rich.text import Text

    for text in texts:
        yield Text(text)


def _wrapped(text: str, before: str = "") -> Iterator[str]:
    yield from wrap(
        " ".join(printable(text).split()),
        WIDTH,
        initial_indent=before,
        subsequent_indent=" " * len(before),
        break_on_hyphens=False,
    )
