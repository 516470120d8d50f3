"""Growth of machines from one generation to the next."""

import math
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.tables import Records, records
from leadline.analysis.stats.comparison import strongest
from leadline.core.units import count, number, times
from leadline.model.imported import Table
from leadline.model.summary import Finding

TOPIC = "choice"
ADVICE = "Compare your machine's balance of memory, network and processor with it."
EVIDENCE = {
    "machines": "machines in the table",
    "years": "years between first and last",
    "*": "growth from first to last machine, growth a year, and months to double",
}

_GROWING = ("peak", "memory", "processors")


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each table with years and what machines had in them."""
    for table in evidence.tables:
        rows = [row for row in records(table) if isinstance(row.get("year"), float)]
        rows.sort(key=lambda row: row["year"] or 0.0)
        if len(rows) > 1 and rows[0]["year"] != rows[-1]["year"]:
            yield from _of_table(table, rows)


def _of_table(table: Table, rows: Sequence[Records]) -> Iterator[Finding]:
    numbers = {"machines": float(len(rows))}
    told, grown = [], []
    years = [_float(row, "year") for row in rows]
    span = years[-1] - years[0]
    for role in _GROWING:
        values = [_float(row, role) for row in rows]
        if min(values) <= 0:
            continue
        yearly = _yearly(years, values)
        numbers |= {f"{role}_factor": values[-1] / values[0], f"{role}_yearly_factor": yearly}
        grown += [values[-1] / values[0], yearly]
        doubling = ""
        if yearly > 1:
            numbers[f"{role}_doubling_months"] = 12 * math.log(2) / math.log(yearly)
            doubling = f" (doubled every {number(numbers[f'{role}_doubling_months'])} months)"
        told.append(f"{role} {times(values[-1] / values[0])}{doubling}")
    if not told:
        return
    balance = ""
    if {"peak_factor", "memory_factor"} <= numbers.keys():
        ends = [_float(row, "memory") / _float(row, "peak") for row in (rows[0], rows[-1])]
        numbers |= {"first_memory_per_peak_B": ends[0], "last_memory_per_peak_B": ends[1]}
        balance = f" Memory per flop/s: {number(ends[0])} to {number(ends[1])} bytes."
    yield Finding(
        severity="fact",
        text=f"{table.title}: from {years[0]:.0f} to {years[-1]:.0f} ({number(span)} years, "
        f"{count(len(rows), 'machine')}): {'; '.join(told)}.{balance}",
        effect=strongest(grown),
        evidence=numbers | {"years": span},
    )


def _float(row: Records, role: str) -> float:
    value = row.get(role)
    return value if isinstance(value, float) else 0.0


def _yearly(years: Sequence[float], values: Sequence[float]) -> float:
    """Return the factor of a year: the slope of the logarithms over the years, by least squares."""
    middle = sum(years) / len(years)
    logs = [math.log(value) for value in values]
    slope = sum((year - middle) * log for year, log in zip(years, logs, strict=True))
    return math.exp(slope / sum((year - middle) ** 2 for year in years))
