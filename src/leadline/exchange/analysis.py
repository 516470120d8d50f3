"""What a run says: as it was kept in its folder, or made of its samples now and kept there."""

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


def analysis_of(
    run: Run, source: SampleSource, collectors: Sequence[Collector] = (), *, keep: bool = True
) -> Analysis:
    """Return what statistics and rules make of the samples; show these to `collectors`.

    What was worked out now is kept for the next time, unless `keep` is false.
    """
    folder = source.folder if isinstance(source, StoredSamples) else None
    made_of = describe_inputs(folder, run) if folder else ""
    if folder and (kept := read_analysis(folder, made_of)):
        if collectors:
            from leadline.analysis.samples import show_samples

            show_samples(run, source, collectors)
        return kept
    from leadline.analysis.findings.conclude import conclude  # loads all rules: late
    from leadline.analysis.verdict.trust import trust

    made = conclude(run, source, collectors=collectors)
    if folder and keep:
        keep_analysis(folder, made_of, made, trust(run, made).grade)
    return made


def kept_analysis(run: Run, source: SampleSource) -> Analysis | None:
    """Return what was made of the run before, where that is kept with its samples."""
    if isinstance(source, StoredSamples):
        return read_analysis(source.folder, describe_inputs(source.folder, run))
    return None


def figures_of(run: Run, source: SampleSource) -> tuple[PointSummary, ...]:
    """Return the figures of a run, without what they mean: as kept, or made now."""
    if kept := kept_analysis(run, source):
        return kept.points
    from leadline.analysis.results.summary import summarise

    return summarise(run, source)
