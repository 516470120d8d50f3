"""What of an earlier profile stays beside what is tuned now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import msgspec

from leadline.model.profile import Profile, Rule
from leadline.tune.deployment import Spans
from leadline.tune.ranges import Span
from leadline.tune.tuning import Shape


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
