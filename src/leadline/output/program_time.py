"""What is said of a program's time, wherever it is shown: the answer, who is late, the calls."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from leadline.core.units import about_bytes, count
from leadline.explain.case import about_s, percent_of
from leadline.explain.lateness import Lateness
from leadline.explain.owners import total
from leadline.explain.ranks import rank_words
from leadline.explain.report import Explained, Sent, SiteTime
from leadline.output.table import Column, Table, number, table_of

_PAIRS = 20


class Owner(NamedTuple):
    """An owner of a rank's seconds: its field, its name, what the answer says, its colour."""

    field: str
    name: str
    said: str
    style: str


OWNERS = (
    Owner("computing_s", "computing", "computing", "green"),
    Owner("waiting_s", "waiting for late ranks", "waiting for late ranks", "red"),
    Owner("transfer_s", "moving data", "moving data", "blue"),
    Owner("excess_s", "slower than measured", "slower than this machine was measured", "yellow"),
    Owner("tunable_s", "tuning would save", "that tuning would save", "magenta"),
)


def headline(found: Explained) -> str:
    """Return the answer in a sentence: the owners of the time, and who is late."""
    everything = total(found.ranks)
    parts = [
        f"{percent_of(seconds, everything.seconds)} {said}"
        for name, _, said, _ in OWNERS
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


def places(found: Explained, most: int | None = None) -> Table:
    """Return the calls by place and size, those that took longest; all of them without `most`."""
    sites = found.sites[:most]
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


def pairs(sent: tuple[Sent, ...]) -> Table:
    """Return who sends most to whom."""
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
