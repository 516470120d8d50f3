"""Time spent asking whether messages are there."""

from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of
from leadline.explain.recording import TEST


def advise(case: Case) -> Iterator[Advice]:
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
