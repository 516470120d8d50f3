"""What a run says: as it was kept the last time, or made of its samples now and kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, PointSummary
from leadline.store.kept import describe_inputs, keep_analysis, read_analysis
from leadline.store.samples import StoredSamples

if TYPE_CHECKING:
    from leadline.analysis.samples import Collector


def analysis_of(run: Run, source: SampleSource, collectors: Sequence[Collector] = ()) -> Analysis:
    """Return what statistics and rules make of the samples; show these to `collectors`."""
    made_of = _made_of(run, source)
    if kept := read_analysis(made_of):
        if collectors:
            from leadline.analysis.samples import show_samples

            show_samples(run, source, collectors)
        return kept
    from leadline.analysis.findings.conclude import conclude  # loads all rules: late

    made = conclude(run, source, collectors=collectors)
    keep_analysis(made_of, made)
    return made


def kept_analysis(run: Run, source: SampleSource) -> Analysis | None:
    """Return what was made of the run before, where that is kept."""
    return read_analysis(_made_of(run, source))


def figures_of(run: Run, source: SampleSource) -> tuple[PointSummary, ...]:
    """Return the figures of a run, without what they mean: as kept, or made now."""
    if kept := kept_analysis(run, source):
        return kept.points
    from leadline.analysis.results.summary import summarise

    return summarise(run, source)


def _made_of(run: Run, source: SampleSource) -> str:
    return describe_inputs(source.folder, run) if isinstance(source, StoredSamples) else ""
