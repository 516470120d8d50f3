"""Findings on steadiness stay silent of what is small, or too few samples to tell."""

from silent_findings import told

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.interruptions import heavy_tail
from leadline.analysis.findings.rules.levels import drift, level_change, several_modes, warm_up
from leadline.model.noise import LevelChange, Mode, Shape


def _shaped(evidence, figure, **changes: object) -> Evidence:
    modes = changes.pop("modes", (Mode(at_s=1e-6, fraction=1.0),))
    return evidence([figure(shape=Shape(effective_samples=900, modes=modes, **changes))])


def test_drift_stays_silent_of_a_few_per_cent(evidence, figure) -> None:
    assert told(drift, _shaped(evidence, figure, drift_factor=1.2))
    assert not told(drift, _shaped(evidence, figure, drift_factor=1.09))


def test_level_change_stays_silent_of_small_steps(evidence, figure) -> None:
    def changed(factor: float) -> Evidence:
        steps = (LevelChange(launch=1, repetition=None, factor=factor),) * 3
        return _shaped(evidence, figure, changes=steps)

    assert told(level_change, changed(1.3)) and not told(level_change, changed(1.2))


def test_several_modes_stays_silent_of_modes_near_each_other(evidence, figure) -> None:
    def two(second: float) -> Evidence:
        modes = (Mode(at_s=1e-6, fraction=0.5), Mode(at_s=second, fraction=0.5))
        return _shaped(evidence, figure, modes=modes, modes_follow="chance")

    assert told(several_modes, two(1.5e-6)) and not told(several_modes, two(1.2e-6))


def test_warm_up_stays_silent_of_first_repetitions_that_are_faster(evidence, figure) -> None:
    def begun(factor: float) -> Evidence:
        return _shaped(evidence, figure, warm_up_repetitions=20, warm_up_factor=factor)

    assert told(warm_up, begun(2.0)) and not told(warm_up, begun(0.5))


def test_heavy_tail_stays_silent_of_a_maximum_alone(evidence, figure) -> None:
    shape = Shape(effective_samples=900, modes=(), p99_low_s=0.5, p99_high_s=2.0)
    assert told(heavy_tail, evidence([figure(p99_s=1.0, shape=shape)]))
    # Too few samples have no p99, however long the longest of them took.
    assert not told(heavy_tail, evidence([figure(p99_s=None, max_s=1.0, samples=50)]))
