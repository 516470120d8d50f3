"""Figures of merit as lines `NAME: VALUE UNIT`, for whatever reads a program's output."""

from collections.abc import Iterator

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.results import figure_names, quantities
from leadline.model.run import Run
from leadline.model.summary import Analysis


def _lines(run: Run, analysis: Analysis) -> Iterator[str]:
    problems = sum(finding.severity == "problem" for finding in analysis.findings)
    unverified = sum(not point.verified for point in analysis.points)
    yield f"# leadline {run.leadline}, {' '.join(run.run.split())}"
    yield f"leadline/complete: {int(run.outcome.state == 'complete')} 1"
    yield f"leadline/figures: {len(analysis.points)} 1"
    yield f"leadline/missing: {len(analysis.missing)} 1"
    yield f"leadline/unverified: {unverified} 1"
    yield f"leadline/problems: {problems} 1"
    for name, point in zip(figure_names(analysis.points), analysis.points, strict=True):
        for quantity, (value, unit) in quantities(point).items():
            yield f"{name}/{quantity}: {value!r} {unit}"


def _write(run: Run, analysis: Analysis) -> str:
    return "".join(f"{line}\n" for line in _lines(run, analysis))


EXPORT = ResultExport(
    title="figures of merit as lines `NAME: VALUE UNIT`, for Ramble, Benchpark and ReFrame",
    write=_write,
)
