"""Everything that the charts of a run are drawn from."""

from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.report.distributions import with_samples
from leadline.report.jitter import with_jitter
from leadline.report.panels import Panel, panels


def drawn_panels(run: Run, analysis: Analysis, source: SampleSource) -> tuple[Panel, ...]:
    """Return the panels of a run with all of their tables, samples thinned, extremes kept."""
    drawn = with_samples(run, analysis.points, panels(run, analysis), source)
    return with_jitter(run, analysis, drawn, source)
