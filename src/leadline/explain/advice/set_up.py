"""Communicators, windows and symmetric objects that are made again and again."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of
from leadline.explain.recording import SET_UP, Row

# So many calls of a rank from one place are no set-up before the work.
_AGAIN = 10


def advise(case: Case) -> Iterator[Advice]:
    """Tell what is made in a loop, and what that takes."""
    places: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in case.rows:
        if row.function.kind == SET_UP:
            places[row.function.name, row.site.where].append(row)
    again = {
        place: rows
        for place, rows in places.items()
        if case.per_rank(sum(row.calls for row in rows)) >= _AGAIN
    }
    seconds = case.per_rank(sum(row.own_s for rows in again.values() for row in rows))
    if not case.is_worth(seconds):
        return
    name, where = max(again, key=lambda place: sum(row.own_s for row in again[place]))
    calls = round(case.per_rank(sum(row.calls for row in again[name, where])))
    what = {"MPI": "communicators and windows", "OpenSHMEM": "symmetric objects and teams"}
    yield Advice(
        text=f"Each rank calls {name}{f' in {where}' if where else ''} {calls} times; such calls "
        f"take {percent_of(seconds, case.seconds)} of the time: make {what[case.recording.api]} "
        "once, and keep them.",
        command=case.show_sites(),
        stake_s=seconds,
    )
