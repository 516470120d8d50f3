"""Figures as CSV, one row a figure or planned point without one.

A list of numbers is one cell, separated by blanks.
"""

import csv
import io

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.table import rows
from leadline.model.run import Run
from leadline.model.summary import Analysis


def _write(run: Run, analysis: Analysis) -> str:
    found = rows(run, analysis)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, found[0] if found else ("run",), lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


EXPORT = ResultExport(title="figures as comma-separated values, one row a figure", write=_write)
