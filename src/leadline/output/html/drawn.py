"""Everything that the charts of a run are drawn from."""

from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.output.html.distributions import with_samples
from leadline.output.html.generations import generation_panels
from leadline.output.html.jitter import with_jitter
from leadline.output.html.matrix import with_matrices
from leadline.output.html.measured import Measured
from leadline.output.html.noise import with_noise
from leadline.output.html.panels import Panel, panels
from leadline.output.html.rates import rate_panels
from leadline.output.html.scaling import scaling_panels


def drawn_panels(run: Run, analysis: Analysis, source: SampleSource) -> tuple[Panel, ...]:
    """Return the panels of a run with all of their tables, samples thinned, extremes kept."""
    measured = Measured(run, source)
    drawn = with_samples(analysis.points, panels(run, analysis), measured)
    drawn = with_matrices(analysis.points, drawn, measured)
    drawn = with_jitter(run, analysis, drawn, source)
    drawn = with_noise(run, analysis, drawn, source)
    tables = run.imported.tables if run.imported else ()
    return (
        *drawn,
        *rate_panels(run, analysis),
        *scaling_panels(run, analysis),
        *generation_panels(tables),
    )
