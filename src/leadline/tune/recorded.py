"""What a recorded program called, as subjects of a tuning, and the rules that stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.explain.bounds import collective_of
from leadline.explain.recording import COLLECTIVES, Recording, Row
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.profile import Profile, Rule
from leadline.site.mpi.families import is_library_of
from leadline.tune.candidates import Cell
from leadline.tune.deployment import Spans
from leadline.tune.ranges import Span, class_of
from leadline.tune.subjects import Subject
from leadline.tune.tuning import Shape

# What takes less than the rest of the time in collectives together is not worth a measurement.
_WORTH = 0.99
_MOST_NAMED = 4


class Wanted(NamedTuple):
    """The calls of a collective of one class of sizes, in communicators of one shape.

    `bytes` is their mean size, `span` the class, and `seconds` what they cost an average rank
    beyond waiting.
    """

    collective: str
    placement: Placement
    bytes: int
    span: Span
    seconds: float


def wanted(recording: Recording, tunable: Set[str], name: str) -> tuple[Wanted, ...]:
    """Return what of a recording is to be tuned, that which costs the program most first.

    `tunable` are the collectives that can be, and `name` is how the user knows the recording.
    Together they have 99 % of the time. Raises `UserError` where there is nothing to tune.
    """
    rows: dict[tuple[str, Placement, int], list[Row]] = defaultdict(list)
    for row in recording.rows:
        collective = collective_of(row.function.name)
        if collective in tunable and row.function.kind in COLLECTIVES and row.is_even:
            place = Placement(row.nodes, row.comm_ranks // row.nodes)
            rows[collective, place, row.size_class].append(row)
    found = [
        Wanted(collective, place, size, class_of(size), seconds / len(recording.ranks))
        for (collective, place, _), each in rows.items()
        if (seconds := sum(row.own_s for row in each)) > 0
        for size in [sum(row.bytes for row in each) // sum(row.calls for row in each)]
    ]
    if not found:
        raise UserError(_nothing_to_tune(recording, name))
    return _costly(sorted(found, key=lambda one: -one.seconds))


def _costly(found: Sequence[Wanted]) -> tuple[Wanted, ...]:
    enough = _WORTH * sum(one.seconds for one in found)
    kept: list[Wanted] = []
    for one in found:
        if sum(each.seconds for each in kept) >= enough:
            break
        kept.append(one)
    return tuple(kept)


def _nothing_to_tune(recording: Recording, name: str) -> str:
    seconds: dict[str, float] = defaultdict(float)
    for row in recording.rows:
        seconds[row.function.name] += row.own_s
    longest = sorted(seconds, key=lambda each: -seconds[each])[:_MOST_NAMED]
    most = (
        f"most of its time in calls is in {', '.join(longest)}" if longest else "it calls nothing"
    )
    return (
        f"--from {name}: the program has no collective on 2 or more ranks that leadline can tune, "
        f"{most}: `leadline explain {name}` says what to do"
    )


def check_library(recording: Recording, installation: Installation, name: str) -> None:
    """Raise `UserError` where the program was recorded with another MPI than the installation."""
    if not is_library_of(installation, recording.library):
        library = " ".join(recording.library.split())[:60] or "an unknown MPI"
        raise UserError(
            f"--from {name}: the program was recorded with {library!r}, not with "
            f"{installation.name}: leave out --mpi, or record it with that MPI"
        )


def cells_of(wanted: Sequence[Wanted], subjects: Sequence[Subject]) -> Spans | None:
    """Return the cells that are measured for a program, in its order; None for no program.

    A size is the next one that the benchmark takes. Calls without data have no cell where the
    collective moves data otherwise.
    """
    if not wanted:
        return None
    named = {each.collective: each for each in subjects}
    found: dict[Placement, dict[Cell, Span]] = {}
    for one in wanted:
        subject = named.get(one.collective)
        if subject is None or (subject.sized and one.bytes < 1):
            continue
        cells = found.setdefault(one.placement, {})
        cell = Cell(one.collective, _allowed(one.bytes, subject) if subject.sized else 0)
        cells[cell] = _joined(cells.get(cell, one.span), one.span)
    return found


def placements_of(wanted: Sequence[Wanted]) -> tuple[Placement, ...]:
    """Return the shapes of the program's communicators, that which costs most first."""
    seconds: dict[Placement, float] = defaultdict(float)
    for one in wanted:
        seconds[one.placement] += one.seconds
    return tuple(sorted(seconds, key=lambda place: -seconds[place]))


def collectives_of(wanted: Sequence[Wanted]) -> tuple[str, ...]:
    """Return the program's collectives, each once, that which costs most first."""
    return tuple(dict.fromkeys(one.collective for one in wanted))


def _allowed(size: int, subject: Subject) -> int:
    return -(-size // subject.multiple_of) * subject.multiple_of


def _joined(one: Span, other: Span) -> Span:
    return Span(min(one.first, other.first), max(one.last, other.last))


def without_rules_for(
    tuned: Set[Shape],
    before: Profile | None,
    spans: Spans | None = None,
    one_rule: Set[str] = frozenset(),
) -> Profile | None:
    """Return the profile without its rules for the shapes that are `tuned`.

    With `spans` those shapes are tuned for these sizes alone, but for collectives of `one_rule`:
    for all other sizes their rules stay.
    """
    if before is None:
        return None
    rules: list[Rule] = []
    for rule in before.rule:
        if (rule.collective, rule.nodes, rule.processes) not in tuned:
            rules.append(rule)
        elif spans and rule.collective not in one_rule:
            rules += outside(rule, _spans_of(rule, spans))
    return msgspec.structs.replace(before, rule=tuple(rules))


def outside(rule: Rule, spans: Iterable[Span]) -> list[Rule]:
    """Return the rule for its sizes that are in none of the `spans`, a rule for each stretch.

    A stretch keeps what was measured in it; one in which nothing was, keeps all.

    >>> rule = Rule(collective="bcast", algorithm="shared", from_bytes=0, to_bytes=99)
    >>> [(each.from_bytes, each.to_bytes) for each in outside(rule, [Span(8, 15)])]
    [(0, 7), (16, 99)]
    """
    left: list[tuple[int, int | None]] = [(rule.from_bytes, rule.to_bytes)]
    for span in spans:
        left = [part for first, last in left for part in _cut(first, last, span)]
    return [_part(rule, first, last) for first, last in left]


def _spans_of(rule: Rule, spans: Spans) -> Sequence[Span]:
    return [
        span
        for placement, cells in spans.items()
        for cell, span in cells.items()
        if (rule.nodes, rule.processes) == (placement.nodes, placement.processes)
        and rule.collective == cell.collective
    ]


def _cut(first: int, last: int | None, span: Span) -> list[tuple[int, int | None]]:
    if span.last < first or (last is not None and last < span.first):
        return [(first, last)]
    below = [(first, span.first - 1)] if first < span.first else []
    above = [(span.last + 1, last)] if last is None or span.last < last else []
    return [*below, *above]


def _part(rule: Rule, first: int, last: int | None) -> Rule:
    within = tuple(
        row for row in rule.measured if first <= row.bytes and (last is None or row.bytes <= last)
    )
    return msgspec.structs.replace(
        rule, from_bytes=first, to_bytes=last, measured=within or rule.measured
    )
