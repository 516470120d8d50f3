"""Senders that wait until their receiver is ready."""

from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of


def advise(case: Case) -> Iterator[Advice]:
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
