"""What imports report without times: gains, generations, shares."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.contest import case_of
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.program import communication_fraction
from leadline.analysis.stats.comparison import strongest
from leadline.core.units import count, number, percent, times
from leadline.model.imported import Table
from leadline.model.summary import Finding

Records = dict[str, str | float | None]


def records(table: Table) -> Iterator[Records]:
    """Yield each row as its cells by role; columns without a role are left out."""
    for row in table.rows:
        yield {
            column.role: cell
            for column, cell in zip(table.columns, row, strict=True)
            if column.role
        }


_GROWING = ("peak", "memory", "processors")


@rule(
    "choice",
    cure="Compare your machine's balance of memory, network and processor with it.",
    evidence={
        "machines": "machines in the table",
        "years": "years between first and last",
        "*": "growth from first to last machine, growth a year, and months to double",
    },
)
def machine_generations(evidence: Evidence) -> Iterator[Finding]:
    """Growth of machines from one generation to the next."""
    for table in evidence.tables:
        rows = [row for row in records(table) if isinstance(row.get("year"), float)]
        rows.sort(key=lambda row: row["year"] or 0.0)
        if len(rows) > 1 and rows[0]["year"] != rows[-1]["year"]:
            yield from _of_table(table, rows)


def _of_table(table: Table, rows: Sequence[Records]) -> Iterator[Finding]:
    numbers = {"machines": float(len(rows))}
    texts, grown = [], []
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
        texts.append(f"{role} {times(values[-1] / values[0])}{doubling}")
    if not texts:
        return
    balance = ""
    if {"peak_factor", "memory_factor"} <= numbers.keys():
        ends = [_float(row, "memory") / _float(row, "peak") for row in (rows[0], rows[-1])]
        numbers |= {"first_memory_per_peak_B": ends[0], "last_memory_per_peak_B": ends[1]}
        balance = f" Memory per flop/s: {number(ends[0])} to {number(ends[1])} bytes."
    yield Finding(
        severity="fact",
        text=f"{table.title}: from {years[0]:.0f} to {years[-1]:.0f} ({number(span)} years, "
        f"{count(len(rows), 'machine')}; doublings by a fit to all): {'; '.join(texts)}.{balance}",
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


# The part from which on communication is worth more attention than the work.
_MUCH = 0.25
_LITTLE = 0.1


@rule(
    "speed",
    evidence={
        "communication_fraction": "communication, median",
        "least_fraction": "least of all figures",
        "most_fraction": "most of all figures",
        "figures": "number of figures",
    },
)
def communication_share(evidence: Evidence) -> Iterator[Finding]:
    """Share of communication in a program's time."""
    groups: dict[object, dict[int, float]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        share = communication_fraction(point)
        if share is not None:
            key = (point.benchmark, point.series, point.mpi, evidence.choices(point))
            groups[key][index] = share
    for shares in groups.values():
        yield _share_finding(evidence, shares)


def _share_finding(evidence: Evidence, shares: dict[int, float]) -> Finding:
    middle = statistics.median(shares.values())
    most, least = max(shares, key=shares.__getitem__), min(shares.values())
    amounts = [name for name, _ in evidence.amounts(evidence.points[most])]
    name = name_of(evidence, most, without=["bytes", "place", *amounts])
    several = (
        f", from {percent(least)} to {percent(shares[most])} (most "
        f"{case_of(evidence, evidence.points[most]).text})"
        if len(shares) > 1
        else ""
    )
    return Finding(
        severity="notice" if middle >= _MUCH else "fact",
        text=f"{name}: communication takes {percent(middle)} of the time{several}.",
        evidence={
            "communication_fraction": middle,
            "least_fraction": least,
            "most_fraction": shares[most],
            "figures": float(len(shares)),
        },
        points=tuple(shares),
    )
