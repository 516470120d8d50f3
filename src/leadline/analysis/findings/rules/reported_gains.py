"""Reported gains of a placement, an algorithm or a setting."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.tables import Records, records
from leadline.core.units import format_bytes
from leadline.model.summary import Finding

TOPIC = "choice"
ADVICE = "Measure whether it gains on your machine too."
EVIDENCE = {
    "least_gain_percent": "smallest gain",
    "most_gain_percent": "largest gain",
    "reports": "number of reports",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each change of a table with gains in per cent, the largest gain first."""
    for table in evidence.tables:
        changes: dict[str, list[Records]] = defaultdict(list)
        for row in records(table):
            if row.get("change") and isinstance(row.get("gain_low"), float):
                changes[str(row["change"])].append(row)
        found = [_finding(table.title, change, rows) for change, rows in changes.items()]
        yield from sorted(found, key=lambda one: -one.evidence["most_gain_percent"])


def _finding(title: str, change: str, rows: Sequence[Records]) -> Finding:
    ends = [_ends(row) for row in rows]
    told = "; ".join(_format_gains(row) for row in rows)
    return Finding(
        severity="fact",
        text=f"{title}: {change} gained, as reported: {told}.",
        evidence={
            "least_gain_percent": min(low for low, _ in ends),
            "most_gain_percent": max(high for _, high in ends),
            "reports": float(len(rows)),
        },
        advice=ADVICE,
    )


def _ends(row: Records) -> tuple[float, float]:
    low, high = row.get("gain_low"), row.get("gain_high")
    assert isinstance(low, float)
    return low, high if isinstance(high, float) else low


def _format_gains(row: Records) -> str:
    low, high = _ends(row)
    gain = f"{low:g} to {high:g} %" if high > low else f"{low:g} %"
    if row.get("gain_high") is None:
        gain += " or more"
    words = [gain, f"in {row['operation']}" if row.get("operation") else ""]
    size = row.get("bytes")
    if isinstance(size, float) and size > 0:
        words.append(f"at {format_bytes(round(size))}")
    elif isinstance(size, str):
        words.append(f"at {size}{' B' * size[-1].isdigit()}")
    processes = row.get("processes")
    if isinstance(processes, float) and processes > 1:
        words.append(f"on {processes:.0f} processes")
    remark = row.get("remark")
    return " ".join(filter(None, [*words, f"({remark})" if remark else ""]))
