"""What holds for all findings at once."""

import json
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

import leadline.analysis.findings.rules
from leadline.analysis.findings.conclude import SEVERITIES, conclude, findings
from leadline.analysis.findings.kinds import kinds
from leadline.model.noise import Shape
from leadline.model.run import Outcome

RULES = sorted(Path(leadline.analysis.findings.rules.__path__[0]).glob("[a-z]*.py"))


SPOILT = """best_size busy_machine clock_uncertain disturbed heavy_tail impossible imprecise
    incomplete launches_differ libraries_compared machine_check near_clock
    oversubscribed protocol_switch rate_falls variants_compared wrong_data"""


def test_kinds_are_all_rules_of_the_modules() -> None:
    written = [
        re.findall(r"^@rule\((?:.|\n)*?^def (\w+)", path.read_text(), re.M) for path in RULES
    ]
    assert list(kinds()) == sorted(kind for kinds_of in written for kind in kinds_of)
    assert len(kinds()) >= 60


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_rule_names_a_benchmark_or_a_library(path: Path) -> None:
    assert not re.search(r"\b(mpi|rma|shmem)/|pingpong|mpich|openmpi", path.read_text().lower())


def test_clean_run_has_facts_only(evidence, curve) -> None:
    found = findings(evidence(curve(lambda size: 1e-6 + size / 1e10)))
    assert {(one.kind, one.severity) for one in found} == {("best_size", "fact")}


def test_a_thoroughly_bad_run_says_all_of_it_in_order(evidence, figure, curve) -> None:
    def stepped(size: int) -> float:
        return 1e-6 + size / 1e10 + (3e-6 if size >= 8192 else 0) + max(0, size - 2**20) / 2e9

    bad = [
        *curve(
            stepped,
            p99_s=1.0,
            shape=Shape(effective_samples=900, modes=(), p99_low_s=0.5, p99_high_s=2.0),
            stopped_by="seconds",
            within_launch_precision=0.2,
            oversubscribed=True,
            flags={"preempted": 300, "late_start": 100, "clock_uncertain": 500},
        ),
        *curve(lambda size: stepped(size) / 2, way="clever"),
        *curve(lambda size: stepped(size) / 3, mpi="second"),
        *(
            figure(1e-6, 2**n, mpi="third", launch_medians_s=(1e-6, 3e-6, 1e-6))
            for n in range(3, 9)
        ),
        figure(5e-11, None, axes={"other": 1}),
        figure(1e-6, 8, axes={"other": 2}, launch_medians_s=(1e-6, 2e-6, 9e-6)),
    ]
    whole = evidence(
        bad,
        result={"wrong_bytes": 3, "clock_error_s": 1e-6},
        outcome=Outcome(state="interrupted"),
        load_during={"busy_fraction": 0.9},
        doctor=[{"name": "load", "status": "bad", "observed": "x", "meaning": "Y."}],
    )
    found = findings(whole)
    # Wrong data speaks for itself, so that the same points are not unverified as well.
    assert {one.kind for one in found} == set(SPOILT.split())
    grades = [SEVERITIES.index(one.severity) for one in found]
    assert grades == sorted(grades)
    for one in found:
        json.dumps(msgspec.to_builtins(one), allow_nan=False)
        assert one.text.endswith(".") or one.kind == "machine_check"
        assert "\n" not in one.text and "e-" not in one.text and "e+" not in one.text
        assert all(0 <= index < len(bad) for index in one.points)


def test_an_empty_run_has_no_findings(evidence) -> None:
    assert findings(evidence([])) == ()


def test_conclude_goes_the_whole_way_from_samples(evidence, figure) -> None:
    run = evidence([figure(flags={}), figure(1e-6, 16)]).run
    random = np.random.default_rng(1)

    class Source:
        def columns(self, point: int) -> dict[str, np.ndarray]:
            rows = 900
            return {
                "launch": np.repeat(np.arange(3), rows // 3),
                "repetition": np.tile(np.arange(rows // 3), 3),
                "rank": np.zeros(rows, int),
                "peer": np.full(rows, -1),
                "batch": np.ones(rows, int),
                "series": np.zeros(rows, int),
                "flags": np.zeros(rows, int),
                "seconds": 1e-5 * random.lognormal(0, [0.01, 2.0][point], rows),
            }

    analysis = conclude(run, Source())
    assert [point.bytes for point in analysis.points] == [8, 16]
    tails = [one for one in analysis.findings if one.kind == "heavy_tail"]
    assert [one.points for one in tails] == [(1,)]


def test_doubts_come_before_conclusions_and_large_ones_before_small(evidence, figure) -> None:
    figures = [
        *(figure(1e-6, size, flags={"preempted": 100}) for size in (8, 16)),
        *(figure(2e-6, size, mpi="second") for size in (8, 16)),
        *(figure(9e-6, size, mpi="third") for size in (8, 16)),
    ]
    found = findings(evidence(figures, load_during={"busy_fraction": 0.9}))
    assert [one.kind for one in found] == [
        "busy_machine",
        "disturbed",
        "libraries_compared",
        "libraries_compared",
    ]
    assert ["third" in one.text for one in found[2:]] == [True, False]
