"""What is said of a program's time, wherever it is shown: the answer, who is late, the calls."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from leadline.core.units import about_bytes, count
from leadline.explain.case import about_s, percent_of, rank_words
from leadline.explain.lateness import Lateness
from leadline.explain.over_time import Change
from leadline.explain.owners import Efficiency, total
from leadline.explain.report import Explained, OpenCall, Sent, SiteTime
from leadline.output.table import Column, Table, number, table_of
from leadline.output.words import calls_text

_PAIRS = 20
# Of the time: where ranks had no processor for so much of it, who is late follows from that.
_DISTURBED = 0.1
# Of the time: where ranks were in one call for so much of it when the program was ended, it hung.
_HUNG = 0.25
_OPEN = 2
# Where an owner's part of the time changes by so much within the run, that is drawn.
_CHANGES = 0.15


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


# Where a profiler does not tell waiting from moving data.
_PROFILED = (
    OWNERS[0],
    Owner("transfer_s", "in MPI: waiting or moving", "in MPI (waiting or moving data)", "blue"),
)


def owners_of(found: Explained) -> tuple[Owner, ...]:
    """Return the owners of the time that are told apart."""
    return OWNERS if found.waiting_known else _PROFILED


def headline(found: Explained) -> str:
    """Return the answer in a sentence: the owners of the time, and who is late."""
    everything = total(found.ranks)
    parts = [
        f"{percent_of(seconds, everything.seconds)} {said}"
        for name, _, said, _ in owners_of(found)
        if (seconds := getattr(everything, name)) >= 0.005 * everything.seconds > 0
    ]
    late = _late_words(found)
    begin = "the job did not end as far as is known: " if found.seen_until else ""
    return f"{begin}{', '.join(parts) or 'no time'}{f': {late}' if late else ''}."


def lateness_text(found: Explained) -> str:
    """Return who is late in full, empty where nobody is."""
    late = found.late
    names = {"rank": _late_ranks(late), "node": _late_node(found)}
    share = percent_of(late.share, 1)
    if late.verdict == "rank" and not late.calls:
        return (
            f"{names['rank']} computes {about_s(late.late_s)} longer than the median of the "
            "others, who wait."
        )
    if late.verdict in names:
        often = f"{count(late.calls, 'time')}, {about_s(late.late_s)} on average"
        in_turn = ", and others in turn for these" if late.in_turn else ""
        return (
            f"{names[late.verdict]} made others wait {often}{in_turn}: {share} of the waiting "
            "whose cause is known."
        )
    if late.verdict == "chain":
        return (
            f"The ranks wait for one another in turn: {late.at_once:.2g} of {len(found.ranks)} "
            "compute at a time."
        )
    if late.verdict == "noise":
        waits = f"{count(late.calls, 'wait')} of {about_s(late.late_s)} on average"
        return f"Another rank came last each time ({waits}): nobody causes most of the waiting."
    if late.verdict == "library":
        return "Hardly any rank waits: calls take longer than this machine was measured to need."
    return ""


_CAUSES = {
    "work": "more work or slower memory, as far as the kernel tells: no other program took the "
    "core, and its clock was the same",
    "clock": "the clock of the core was lower",
    "quota": "a quota of the control group took the processor away",
    "another program": "something else had the core",
    "hypervisor": "the machine under the virtual machine took {stolen} of its time",
    "unknown": "the kernel does not say why",
}


def _change(found: Explained) -> Change | None:
    return found.over_time.change if found.over_time else None


def _when_words(found: Explained, change: Change) -> str:
    """Return in which part of the run ranks compute longer."""
    whole = found.over_time.seconds if found.over_time else 0.0
    begin, end = (
        None if moment is None else f"{about_s(moment)} ({percent_of(moment, whole)})"
        for moment in (change.from_s, change.until_s)
    )
    if begin and end:
        return f"from {begin} to {end}"
    return f"until {end}" if end else f"from {begin} on"


def change_text(found: Explained) -> str:
    """Return which ranks turn slow in the run, and why; empty where none does."""
    change = _change(found)
    if change is None:
        return ""
    one = len(change.ranks) == 1
    who = (
        f"all ranks of node {change.node} ({change.host})"
        if change.node is not None
        else _lower(rank_words(change.ranks))
    )
    on = f" on {change.host}" if change.node is None and len(found.hosts) > 1 else ""
    when = _when_words(found, change)
    return (
        f"{when[:1].upper()}{when[1:]}, {who}{on} {'computes' if one else 'compute'} "
        f"{change.times:.2g} times as long as in the rest of the run, compared with the others: "
        f"{_CAUSES[change.cause].format(stolen=percent_of(change.stolen, 1.0))}."
    )


def changes_over_time(found: Explained) -> bool:
    """Tell whether the run is worth a picture: a rank turns slow, or an owner's part changes."""
    over = found.over_time
    if over is None:
        return False
    rows = (over.computing, over.waiting or (), over.moving)
    return bool(over.change) or any(_turns(row) >= _CHANGES for row in rows)


def _turns(parts: Sequence[float]) -> float:
    """Return by how much the mean changes at most from one part of the run to the other."""
    least = max(len(parts) // 8, 1)
    splits = range(least, len(parts) - least + 1)
    return max(
        (abs(statistics.mean(parts[at:]) - statistics.mean(parts[:at])) for at in splits), default=0
    )


def slices(found: Explained) -> list[tuple[str, str, tuple[float, ...]]]:
    """Return the rows of a picture of the run: name, colour, parts of each slice."""
    over = found.over_time
    if over is None:
        return []
    style = {owner.field: owner.style for owner in OWNERS}
    rows = [("computing", style["computing_s"], over.computing)]
    if over.change:
        late, *more = over.change.ranks
        who = "these ranks compute" if more else f"rank {late} computes"
        rows = [
            (who, style["computing_s"], over.changed),
            ("the others compute", style["computing_s"], over.others),
        ]  # fmt: skip
    if over.waiting is not None:
        rows.append(("waiting", style["waiting_s"], over.waiting))
    name = "moving data" if over.waiting is not None else "in MPI"
    return [*rows, (name, style["transfer_s"], over.moving)]


def regions(found: Explained) -> Table:
    """Return the parts of the time that the program has marked, of an average rank there."""
    rows = [
        (
            str(each.level),
            each.where or "-",
            calls_text(each.times / each.ranks),
            *(about_s(seconds / each.ranks) for seconds in
              (each.seconds, each.computing_s, each.waiting_s, each.moving_s)),
        )
        for each in found.regions
    ]  # fmt: skip
    columns = (
        number("level"),
        Column("from", cut=True),
        number("times"),
        *map(number, ("time", "computing", "waiting", "moving")),
    )
    return table_of(
        columns, rows, "times are those of an average rank, from a call of pcontrol to the next one"
    )


def _open_words(found: Explained) -> str:
    """Return where ranks waited when the program was ended, those that waited longest first."""
    where: dict[tuple[str, str], list[OpenCall]] = defaultdict(list)
    for each in found.open_calls:
        where[each.call, each.where].append(each)
    longest = sorted(where.items(), key=lambda item: -max(one.seconds for one in item[1]))
    parts = [
        f"{_lower(rank_words([one.rank for one in of_call]))} in {call}"
        f"{f' at {place}' if place else ''} for {about_s(max(one.seconds for one in of_call))}"
        for (call, place), of_call in longest[:_OPEN]
    ]
    if not parts:
        return ""
    ended = "last seen with" if found.seen_until else "it was ended with"
    return f"{ended} {' and '.join(parts)}"


def _late_words(found: Explained) -> str:
    late = found.late
    average_s = total(found.ranks).seconds / len(found.ranks)
    if max((each.seconds for each in found.open_calls), default=0.0) >= _HUNG * average_s:
        return _open_words(found)
    if found.queued_s is not None and found.queued_s >= _DISTURBED * average_s:
        taken = percent_of(found.queued_s, average_s)
        return f"ranks that could run had no processor for {taken} of it"
    if late.verdict == "rank" and not late.calls:
        return f"{_lower(_late_ranks(late))} computes {about_s(late.late_s)} longer"
    if late.verdict == "rank":
        verb = "is" if len(late.ranks) == 1 else "are"
        change = _change(found)
        turns = change is not None and set(late.ranks) <= set(change.ranks)
        when = f", most {_when_words(found, change)}" if change and turns else ""
        return f"{_lower(_late_ranks(late))} {verb} late by {about_s(late.late_s)} a call{when}"
    if late.verdict == "node":
        return f"{_lower(_late_node(found))} are late by {about_s(late.late_s)} a call"
    if late.verdict == "chain":
        return f"the ranks take turns, {late.at_once:.2g} of {len(found.ranks)} compute at a time"
    return {
        "noise": "another rank is late each time",
        "library": "the library is the cause, no rank is late",
    }.get(late.verdict, "")


def _lower(subject: str) -> str:
    return subject[:1].lower() + subject[1:]


def _late_ranks(late: Lateness) -> str:
    return rank_words(late.ranks) if late.ranks else ""


def _late_node(found: Explained) -> str:
    return f"All ranks of node {found.late.node}"


# The mean of a call follows from the other columns.
_IN_MPI = (number("time"), number("min"), number("mean")._replace(spare=1), number("max"))


def places(found: Explained, most: int | None = None) -> Table:
    """Return the calls by place and size, those that took longest; all of them without `most`.

    Calls and times are those of an average rank.
    """
    sites = found.sites[:most]
    whole, ranks = total(found.ranks).seconds, len(found.ranks)
    cells = _split if found.waiting_known else _in_mpi
    rows = [(*_place(site, whole, ranks), *cells(site, ranks)) for site in sites]
    caption = "" if len(sites) == len(found.sites) else f"{len(sites)} of {len(found.sites)} places"
    own = ("waiting", "transfer", "measured")
    columns = (
        Column("call", cut=True),
        Column("where", cut=True),
        number("size"),
        number("calls"),
        number("%"),
        *(map(number, own) if found.waiting_known else _IN_MPI),
    )
    return table_of(columns, rows, caption)


# What tells places of one function apart, behind its name.
_LINE = re.compile(r"^(.{24,}) \(([^\s()]+:\d+|0x[0-9a-f]+)\)$")


def _place(site: SiteTime, whole: float, ranks: int) -> tuple[str, ...]:
    return (
        site.call,
        # Of a long name the end is cut: the line stands before it.
        _LINE.sub(r"\2 \1", site.where) or "-",
        "-" if site.bytes is None else about_bytes(site.bytes),
        calls_text(site.calls / ranks),
        percent_of(site.seconds, whole).removesuffix(" %"),
    )


def _split(site: SiteTime, ranks: int) -> tuple[str, ...]:
    return (
        f"{_sign(site)}{about_s(site.waiting_s / ranks)}",
        about_s(site.own_s / ranks),
        _about(None if site.bound_s is None else site.bound_s / ranks),
    )


def _sign(site: SiteTime) -> str:
    if site.at_least:
        return ">"
    return "~" if site.is_rough else ""


def _in_mpi(site: SiteTime, ranks: int) -> tuple[str, ...]:
    """Return the time of an average rank in all calls, and the shortest, mean and longest call."""
    each = (site.fastest_s, site.seconds / site.calls, site.slowest_s)
    return (about_s(site.seconds / ranks), *map(_about, each))


def _about(seconds: float | None) -> str:
    return "-" if seconds is None else about_s(seconds)


def bounded_text(found: Explained) -> str:
    """Return of how much of the transfer a bound is known, empty where it is of all."""
    own = total(found.ranks).own_s
    if not own or not found.waiting_known or found.bounded >= 0.995:
        return ""
    part = percent_of(found.bounded, 1)
    return f"{part} of the transfer is in calls that were measured here before."


def factors_text(factors: Efficiency) -> str:
    """Return POP's factors in a line."""
    said = (
        f"parallel efficiency {factors.parallel:.2f} = load balance {factors.load_balance:.2f} x "
    )
    if factors.serialisation is None or factors.transfer is None:
        balance = factors.load_balance
        return f"{said}communication {factors.parallel / balance if balance else 0.0:.2f}"
    return f"{said}serialisation {factors.serialisation:.2f} x transfer {factors.transfer:.2f}"


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
