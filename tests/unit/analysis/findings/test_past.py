"""Regressions and improvements against earlier runs."""

import numpy as np
import pytest

from leadline.analysis.findings.evidence import Past
from leadline.analysis.findings.rules.machine import changed_since


@pytest.fixture
def since(evidence, figure):
    """What is found of figures against earlier ones: seconds by size, for now and each run."""

    def make(now, *before, launches=12):
        def figures(seconds, seed):
            random = np.random.default_rng(seed)
            return [
                figure(
                    time,
                    size,
                    launches=launches,
                    launch_medians_s=tuple(time * random.lognormal(0, 0.01, launches)),
                )
                for size, time in seconds.items()
            ]

        whole = evidence(figures(now, 0))
        past = tuple(
            Past(f"run-{n}", f"2026-0{n + 1}-01", tuple(figures(each, n + 1)))
            for n, each in enumerate(before)
        )
        return list(
            changed_since.find(
                type(whole)(run=whole.run, points=whole.points, sweeps=(), past=past)
            )
        )

    return make


OLD = {8: 1e-6, 1024: 2e-6, 65536: 2e-5}


def test_what_is_faster_is_a_fact(since):
    (found,) = since({size: time / 2 for size, time in OLD.items()}, OLD)
    assert found.severity == "fact" and found.evidence["figures"] == 3
    assert found.evidence["faster_ratio"] == pytest.approx(2, rel=0.02)


def test_the_same_again_is_nothing(since, evidence, figure):
    assert since(OLD, OLD) == []
    assert list(changed_since.find(evidence([figure()]))) == []


def test_changed_since_stays_silent_where_runs_scatter_as_much(since):
    def times(factor):
        return {size: time * factor for size, time in OLD.items()}

    restless = [times(factor) for factor in (1.0, 1.3, 0.8, 1.25, 0.9)]
    assert since(times(1.2), *restless) == []
    calm = [times(factor) for factor in (1.0, 1.01, 0.99, 1.0, 1.005)]
    (found,) = since(times(1.2), *calm)
    assert "5 earlier runs" in found.text
