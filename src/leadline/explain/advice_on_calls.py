"""Advice on calls: what tuning, joining or posting them otherwise would save."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.core.units import about_bytes, format_bytes
from leadline.explain.bounds import MESSAGE, collective_of
from leadline.explain.case import Advice, Case, about_s, percent_of
from leadline.explain.recording import BOTH, COLLECTIVES, SEND, SET_UP, START, TEST, Row

# Of the wall time: a saving that is measured needs no more.
_WORTH = 0.005


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
    largest = sorted(saved, key=lambda name: -saved[name])[:3]
    yield Advice(
        text=f"Use the tuned algorithms of {_and(largest)}: they save {about_s(seconds)}.",
        command=case.leadline("exec", program=True),
        saves_s=seconds,
        low_s=case.per_rank(least),
        high_s=case.per_rank(most),
        stake_s=seconds,
    )


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# Of the time in collectives: one that takes less is not named.
_NAMED = 0.1


def advise_tune_collectives(case: Case) -> Iterator[Advice]:
    """Tell to tune what the program has; none of its calls can save more than it takes."""
    tuned = {(rule.processes, rule.nodes) for rule in case.bounds.rules}
    seconds: dict[str, float] = defaultdict(float)
    for row in case.rows:
        name, shape = collective_of(row.function.name), (row.comm_ranks, row.nodes)
        if row.function.kind in COLLECTIVES and name in case.tunable and row.is_even:
            seconds[row.function.name] += 0.0 if shape in tuned else row.own_s
    total = case.per_rank(sum(seconds.values()))
    if not case.run or not case.is_worth(total):
        return
    costly = [
        name for name in sorted(seconds, key=lambda name: -seconds[name])
        if seconds[name] >= _NAMED * sum(seconds.values())
    ]  # fmt: skip
    take = "takes" if len(costly) == 1 else "take"
    yield Advice(
        text=f"{', '.join(costly)} {take} {about_s(total)} beyond waiting: tuning for this program "
        "saves at most that.",
        command=case.leadline("tune", "--from", case.run),
        high_s=total,
        stake_s=total,
    )


# So many calls of a rank from one place are no set-up before the work.
_AGAIN = 10


def advise_set_up(case: Case) -> Iterator[Advice]:
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


def advise_late_receiver(case: Case) -> Iterator[Advice]:
    """Tell what late receivers cost."""
    rows = [row for row in case.rows if row.late_receiver_s > 0]
    seconds = case.per_rank(sum(row.late_receiver_s for row in rows))
    if not case.is_worth(seconds):
        return
    costly = max(rows, key=lambda row: row.late_receiver_s)
    where = f" in {costly.site.where}" if costly.site.where else ""
    yield Advice(
        text=f"Senders wait for late receivers, {percent_of(seconds, case.seconds)} of the time, "
        f"most in {costly.function.name}{where}: post the receives before computing.",
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
    calls = sum(row.calls for row in tests)
    where = f" in {costly.site.where}" if costly.site.where else ""
    instead = {"MPI": "MPI_Wait", "OpenSHMEM": "shmem_wait_until"}[case.recording.api]
    yield Advice(
        text=f"{calls} calls such as {costly.function.name}{where} ask for messages, "
        f"{percent_of(seconds, case.seconds)} of the time: compute between them, or call "
        f"{instead}.",
        command=case.show_sites(),
        stake_s=seconds,
    )


_SMALL, _JOINED = 1024, 8


def advise_small_messages(case: Case) -> Iterator[Advice]:
    """Tell what small messages cost, and what joining eight of them could save."""
    sends = [
        row
        for row in case.rows
        if row.function.kind in (SEND, BOTH, START) and 0 < row.mean_bytes < _SMALL
    ]
    calls = sum(row.calls for row in sends)
    if not calls:
        return
    most = 0.0
    for row in sends:
        curve = next(
            (
                each
                for shape, each in case.bounds.curves.items()
                if shape.function == MESSAGE and shape.nodes == min(row.nodes, 2)
            ),
            None,
        )
        alone = curve.at(row.mean_bytes) if curve else None
        joined = curve.at(_JOINED * row.mean_bytes) if curve else None
        if alone is None or joined is None:
            return
        most += max(alone - joined / _JOINED, 0.0) * row.calls
    seconds = case.per_rank(most)
    if not case.is_worth(seconds):
        return
    size = about_bytes(sum(row.bytes for row in sends) / calls)
    yield Advice(
        text=f"{calls} messages have {size} on average: {_JOINED} joined in one would save at "
        f"most {about_s(seconds)}.",
        command=case.show_sites(),
        high_s=seconds,
        stake_s=seconds,
    )


# So many times the size of the step is "just beyond" it.
_NEAR = 2
_MUCH = 0.2


def advise_eager_limit(case: Case) -> Iterator[Advice]:
    """Tell which part of the messages lies just beyond a jump of the measured curve."""
    for shape, curve in case.bounds.curves.items():
        if shape.function != MESSAGE or not case.mpi:
            continue
        sends = [
            row
            for row in case.rows
            if row.function.kind in (SEND, BOTH, START) and min(row.nodes, 2) == shape.nodes
        ]
        calls = sum(row.calls for row in sends)
        for limit, factor in curve.steps:
            beyond = [row for row in sends if limit < row.mean_bytes <= _NEAR * limit]
            part = sum(row.calls for row in beyond)
            before = curve.at(limit)
            if factor <= 1 or not calls or part < _MUCH * calls or before is None:
                continue
            most = case.per_rank(
                sum(row.calls * max((curve.at(row.mean_bytes) or 0) - before, 0) for row in beyond)
            )
            if not case.is_worth(most):
                continue
            yield Advice(
                text=f"{percent_of(part, calls)} of the messages lie just beyond the protocol "
                f"switch at {format_bytes(limit)}: a larger eager limit would save at most "
                f"{about_s(most)}.",
                command=_command(case, curve.benchmark, shape.nodes, limit),
                high_s=most,
                stake_s=most,
            )


def _command(case: Case, benchmark: str, nodes: int, limit: int) -> str:
    """Return the command that measures with the limit twice as large."""
    knob = "shm_eager_limit" if nodes == 1 else "eager_limit"
    place = "1x2" if nodes == 1 else "2x1"
    return case.leadline(
        "run", benchmark, "--mpi", case.mpi, "--place", place,
        "--bytes", f"{limit},{_NEAR * limit}", "--knob", f"{knob}=default,{_NEAR * limit}",
    )  # fmt: skip
