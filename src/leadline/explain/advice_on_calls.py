"""Advice on calls: what tuning, joining or posting them otherwise would save."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.core.units import about_bytes
from leadline.explain.bounds import MESSAGE, Shape, collective_of
from leadline.explain.case import Advice, Case, about_s, percent_of
from leadline.explain.recording import BOTH, COLLECTIVES, SEND, SET_UP, START, TEST, Row

# Of the wall time: a saving that is measured needs no more.
_WORTH = 0.005
# Of the time in collectives: one that takes less is not named.
_NAMED = 0.1
# So many calls of a rank from one place are no set-up before the work.
_AGAIN = 10
_SMALL, _JOINED = 1024, 8
# What is made again and again, and what waits in the place of a poll.
_MADE = {"MPI": "communicators and windows", "OpenSHMEM": "symmetric objects and teams"}
_INSTEAD = {"MPI": "MPI_Wait", "OpenSHMEM": "shmem_wait_until"}


def advise_use_profile(case: Case) -> Iterator[Advice]:
    """Tell what the tuned profile saves."""
    saved: dict[str, float] = defaultdict(float)
    least = most = 0.0
    for row in case.rows:
        if saving := case.bounds.saving_of(row):
            saved[row.function.name] += saving.seconds * row.calls
            least += saving.least * row.calls
            most += saving.most * row.calls
    seconds = case.per_rank(sum(saved.values()))
    if not case.command or seconds < _WORTH * case.seconds or seconds <= 0:
        return
    *others, last = sorted(saved, key=lambda name: -saved[name])[:3]
    names = f"{', '.join(others)} and {last}" if others else last
    yield Advice(
        text=f"Use the tuned algorithms of {names}: they save {about_s(seconds)}.",
        command=case.leadline("exec", program=True),
        saves_s=seconds,
        low_s=case.per_rank(least),
        high_s=case.per_rank(most),
        stake_s=seconds,
    )


def advise_tune_collectives(case: Case) -> Iterator[Advice]:
    """Tell to tune what the program has; none of its calls can save more than it takes."""
    tuned = {(rule.processes, rule.nodes) for rule in case.bounds.rules}
    seconds: dict[str, float] = defaultdict(float)
    for row in case.rows:
        name, shape = collective_of(row.function.name), (row.comm_ranks, row.nodes)
        if row.function.kind in COLLECTIVES and name in case.tunable and row.is_even:
            seconds[row.function.name] += 0.0 if shape in tuned else row.own_s
    whole = sum(seconds.values())
    total = case.per_rank(whole)
    if not case.run or not case.is_worth(total):
        return
    ordered = sorted(seconds, key=lambda name: -seconds[name])
    costly = [name for name in ordered if seconds[name] >= _NAMED * whole]
    yield Advice(
        text=f"{', '.join(costly)} {'takes' if len(costly) == 1 else 'take'} {about_s(total)} "
        "beyond waiting: tuning for this program saves at most that.",
        command=case.leadline("tune", "--from", case.run),
        high_s=total,
        stake_s=total,
    )


def advise_set_up(case: Case) -> Iterator[Advice]:
    """Tell what is made in a loop, and what that takes."""
    places: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in case.rows:
        if row.function.kind == SET_UP:
            places[row.function.name, row.site.where].append(row)
    calls = {place: case.per_rank(sum(row.calls for row in places[place])) for place in places}
    own_s = {
        place: case.per_rank(sum(row.own_s for row in rows))
        for place, rows in places.items()
        if calls[place] >= _AGAIN
    }
    seconds = sum(own_s.values())
    if not case.is_worth(seconds):
        return
    costly = max(own_s, key=lambda place: own_s[place])
    yield Advice(
        text=f"Each rank calls {_call(places[costly][0])} {round(calls[costly])} times; such "
        f"calls take {percent_of(seconds, case.seconds)} of the time: make "
        f"{_MADE[case.recording.api]} once, and keep them.",
        command=case.show_sites(),
        stake_s=seconds,
    )


def advise_late_receiver(case: Case) -> Iterator[Advice]:
    """Tell what late receivers cost."""
    seconds = case.per_rank(sum(row.late_receiver_s for row in case.rows))
    if not case.is_worth(seconds):
        return
    costly = max(case.rows, key=lambda row: row.late_receiver_s)
    yield Advice(
        text=f"Senders wait for late receivers, {percent_of(seconds, case.seconds)} of the time, "
        f"most in {_call(costly)}: post the receives before computing.",
        command=case.show_sites(),
        stake_s=seconds,
    )


def advise_polling(case: Case) -> Iterator[Advice]:
    """Tell how often a program polls, and what that takes."""
    tests = [row for row in case.rows if row.function.kind == TEST]
    seconds = case.per_rank(sum(row.seconds for row in tests))
    if not case.is_worth(seconds):
        return
    costly = max(tests, key=lambda row: row.seconds)
    yield Advice(
        text=f"{sum(row.calls for row in tests)} calls such as {_call(costly)} ask for messages, "
        f"{percent_of(seconds, case.seconds)} of the time: compute between them, or call "
        f"{_INSTEAD[case.recording.api]}.",
        command=case.show_sites(),
        stake_s=seconds,
    )


def advise_small_messages(case: Case) -> Iterator[Advice]:
    """Tell what small messages cost, and what joining eight of them could save."""
    sends = [
        row
        for row in case.rows
        if row.function.kind in (SEND, BOTH, START) and 0 < row.mean_bytes < _SMALL
    ]
    most = 0.0
    for row in sends:
        curve = case.bounds.curves.get(Shape(MESSAGE, 2, min(row.nodes, 2)))
        alone = curve.at(row.mean_bytes) if curve else None
        joined = curve.at(_JOINED * row.mean_bytes) if curve else None
        if alone is None or joined is None:
            return
        most += max(alone - joined / _JOINED, 0.0) * row.calls
    seconds = case.per_rank(most)
    if not case.is_worth(seconds):
        return
    calls = sum(row.calls for row in sends)
    size = about_bytes(sum(row.bytes for row in sends) / calls)
    yield Advice(
        text=f"{calls} messages have {size} on average: {_JOINED} joined in one would save at "
        f"most {about_s(seconds)}.",
        command=case.show_sites(),
        high_s=seconds,
        stake_s=seconds,
    )


def _call(row: Row) -> str:
    """Return a call with its place in the program, where that is known."""
    return f"{row.function.name} in {row.site.where}" if row.site.where else row.function.name
