"""Figures as a JSON array, one object a figure, all with the same keys."""

import msgspec

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.table import rows
from leadline.model.run import Run
from leadline.model.summary import Analysis


def _write(run: Run, analysis: Analysis) -> str:
    lines = [msgspec.json.encode(row).decode() for row in rows(run, analysis)]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


EXPORT = ResultExport(title="figures as a JSON array, one object a figure", write=_write)
