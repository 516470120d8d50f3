"""Rules over ways to compute the same: the fastest right one, and what is wrong with the others."""

import msgspec
import pytest
from kernel_run import ROOF, WAYS, memory, run_of, way

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.answers import wrong_answers
from leadline.analysis.findings.rules.limits_exceeded import roof_beaten
from leadline.analysis.findings.rules.variants import best_variant
from leadline.model.description import Axis


def evidence_of(points=(*WAYS, *ROOF)):
    run, analysis = run_of(points)
    return Evidence(run, analysis.points, ())


def test_one_way_alone_is_no_race():
    assert not list(best_variant.find(evidence_of([*way("plain.c", {100: 1, 1000: 1}), *ROOF])))


def test_wrong_answers_are_told_by_compiler_and_flags_with_what_they_mean():
    other = way("sum.c", {100: 1}, flags="-Ofast", failed=["nan"])
    (found,) = wrong_answers.find(evidence_of([*WAYS, *other]))
    assert found.severity == "problem"
    assert "with gcc-12.2.0 -Ofast fails 2 trials: nan (all 2 variants); denormals (wide.c)" in (
        found.text
    )
    assert "nan: A NaN in the data is in the answer." in found.text
    assert found.evidence == {"figures": 4.0, "trials": 2.0}


def test_wrong_answers_stays_silent_of_right_ones():
    right = [figure for figure in WAYS if figure.verified]
    assert not list(wrong_answers.find(evidence_of(right)))


def test_a_bound_that_a_right_answer_beats_is_the_problem_of_the_bound():
    # 20 Gflop/s of 8 bytes a flop are 160 GB/s: more than the roof moves there, or with more.
    evidence = evidence_of([*WAYS, *memory({100: 400, 1000: 80, 10000: 90})])
    (found,) = roof_beaten.find(evidence)
    assert found.severity == "problem"
    assert found.text.startswith("test/memory is no limit in 1 figure: test/kernel ")
    assert found.effect == pytest.approx(160 / 90)
    assert "is 1.8x faster than test/memory allows" in found.text
    (told,) = best_variant.find(evidence)
    assert told.evidence["largest_fraction"] <= 1


def test_roof_beaten_stays_silent_of_bounds_that_only_wrong_answers_beat():
    assert not list(roof_beaten.find(evidence_of()))
    # The wrong way moves 240 GB/s, the right ones 160.
    assert not list(roof_beaten.find(evidence_of([*WAYS, *memory({1000: 170})])))


def test_best_variant_stays_silent_of_different_tasks():
    run, analysis = run_of([*WAYS, *ROOF])
    assert list(best_variant.find(Evidence(run, analysis.points, ())))
    # Each way computes something else, so that none of them can take the place of another.
    (kernel,) = (each for each in run.benchmarks if each.kernels)
    axis = Axis(name="task", kind="choice", summary="", default="", ways=False)
    tasks = [msgspec.structs.replace(kernel, axes=(*kernel.axes, axis))]
    names = {name: str(number) for number, name in enumerate(_ways(analysis.points))}
    points = tuple(
        msgspec.structs.replace(point, axes={**point.axes, "task": names[_way(point)]})
        for point in analysis.points
    )
    changed = msgspec.structs.replace(
        run, benchmarks=[*tasks, *(each for each in run.benchmarks if not each.kernels)]
    )
    assert not list(best_variant.find(Evidence(changed, points, ())))


def _ways(points):
    return dict.fromkeys(map(_way, points))


def _way(point):
    return tuple(point.axes.get(name) for name in ("variant", "compiler", "flags"))
