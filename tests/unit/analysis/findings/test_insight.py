"""Rules that explain curves and choices: right where the truth is known, silent where it is not."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.compare.matching import pairs
from leadline.analysis.findings.rules.settings import libraries_compared
from leadline.analysis.findings.rules.sizes import best_size, split_is_faster
from leadline.analysis.findings.rules.switches import protocol_switch, rate_falls
from leadline.analysis.findings.rules.variants import variants_compared
from leadline.model.imported import Import


def smooth(size: int) -> float:
    return 1e-6 + size / 1e10


def stepped(size: int) -> float:
    return smooth(size) + (2e-6 if size >= 8192 else 0)


def falling(size: int) -> float:
    return smooth(size) + max(0, size - 2**19) / 5e9


def test_smooth_curve_of_one_kind_has_nothing_to_say_but_its_best_size(evidence, curve) -> None:
    whole = evidence(curve(smooth))
    for rule in (protocol_switch, rate_falls, variants_compared, libraries_compared):
        assert list(rule.find(whole)) == []


def test_protocol_switch_names_size_factor_and_what_to_try(evidence, curve) -> None:
    (found,) = protocol_switch.find(evidence(curve(stepped)))
    assert found.severity == "notice"
    assert (found.evidence["from_bytes"], found.evidence["to_bytes"]) == (4096, 8192)
    assert found.evidence["from_s"] == pytest.approx(smooth(4096))
    assert found.evidence["to_s"] == pytest.approx(stepped(8192))
    assert 1.8 < found.evidence["step_factor"] < 2.5
    assert "switches protocol between 4 KiB and 8 KiB: 1.41 us becomes 3.82 us" in found.text
    # One cause: that two halves are faster is said here, and nowhere else.
    assert "Two of 4 KiB are 1.4x faster than one." in found.text
    assert list(split_is_faster.find(evidence(curve(stepped)))) == []
    assert found.advice == "Try an eager limit of 8 KiB."
    assert found.command.endswith("--bytes 4096,8192 --knob shm_eager_limit=default,8192")


def test_a_gain_at_a_switch_is_a_fact(evidence, curve) -> None:
    (found,) = protocol_switch.find(
        evidence(curve(lambda size: 1e-6 + size / (5e9 if size < 65536 else 1e10)))
    )
    assert found.severity == "fact" and "faster than expected" in found.text


def test_best_size_and_plateau(evidence, curve) -> None:
    (found,) = best_size.find(evidence(curve(smooth)))
    assert found.evidence["best_size_bytes"] == 2**22
    # 90 % of the rate at 4 MiB, where 10000 / (1 + 10000 / n) is within a tenth of it.
    assert found.evidence["plateau_from_bytes"] == 2**17
    assert found.evidence["half_size_bytes"] == pytest.approx(10_000, rel=0.05)
    assert found.text == (
        "family/thing: 1.00 us to 1.41 us up to 4 KiB. Peak 9.98 GB/s at 4 MiB, 90 % of it from "
        "128 KiB to 4 MiB."
    )
    assert found.advice == "Join small messages into 128 KiB to 4 MiB."


def test_a_curve_is_told_with_its_switch_and_what_its_rate_counts(evidence, curve) -> None:
    both = [
        msgspec.structs.replace(one, bandwidth_MBps=2 * one.bandwidth_MBps)
        for one in curve(stepped)
    ]
    (found,) = best_size.find(evidence(both))
    assert "1.41 us up to 4 KiB; 3.82 us at 8 KiB (protocol switch). Peak" in found.text
    assert found.text.endswith(" The rate counts 2.0x the size.")


def test_a_rate_out_of_a_cache_is_told_to_be_one(evidence, curve) -> None:
    def cached(size: int) -> float:
        return 1e-7 + size / 1e11 + max(0, size - 2**18) / 2e10

    whole = evidence(curve(cached), machine={"caches_bytes": {"L1d": 49152, "L2": 2**20}})
    (best,) = best_size.find(whole)
    assert best.text.endswith(" The data stay in the L2 cache.")
    (fall,) = rate_falls.find(whole)
    assert "Larger buffers no longer fit the L2 cache (1 MiB)." in fall.text
    # Where no cache is known to end there, none is named, and none at a switch of protocol.
    (unknown,) = rate_falls.find(evidence(curve(cached)))
    assert "cache" not in unknown.text
    switched = [figure for figure in curve(stepped) if 1024 <= figure.bytes <= 65536]
    assert list(rate_falls.find(evidence(switched))) == []
    assert list(protocol_switch.find(evidence(switched)))


def test_points_without_bytes_moved_have_no_best_size(evidence, curve) -> None:
    assert not list(best_size.find(evidence(curve(smooth, bandwidth_MBps=None))))


def test_rate_that_falls_gives_factor_and_interval(evidence, curve) -> None:
    (found,) = rate_falls.find(evidence(curve(falling)))
    assert found.evidence["best_size_bytes"] == 2**19
    best, last = 2**19 / falling(2**19), 2**22 / falling(2**22)
    assert found.evidence["rate_factor"] == pytest.approx(best / last)
    assert found.evidence["rate_factor_low"] <= best / last <= found.evidence["rate_factor_high"]
    assert "512 KiB" in found.text and "4 MiB" in found.text


def test_a_fall_within_the_intervals_is_none(evidence, curve) -> None:
    scattered = curve(falling)
    scattered[-1] = type(scattered[-1])(
        **{
            name: getattr(scattered[-1], name)
            for name in scattered[-1].__struct_fields__
            if name != "launch_medians_s"
        },
        launch_medians_s=tuple(scattered[-1].median_s * x for x in (0.3, 1.0, 3.0)),
    )
    assert not list(rate_falls.find(evidence(scattered)))


def test_curves_shaped_by_other_processes_are_not_explained(evidence, curve) -> None:
    for shape, rule in ((falling, rate_falls), (stepped, protocol_switch)):
        assert list(rule.find(evidence(curve(shape))))
        assert not list(rule.find(evidence(curve(shape, flags={"preempted": 600}))))


def test_variant_faster_on_some_sizes_is_a_notice_against_the_default(evidence, curve) -> None:
    def clever(size: int) -> float:
        return smooth(size) * (2.0 if size < 1024 else 1.0 if size < 2**20 else 0.5)

    whole = evidence([*curve(clever, way="clever"), *curve(smooth, way="plain")])
    (found,) = variants_compared.find(whole)
    assert found.severity == "notice"
    assert (found.evidence["sizes_faster"], found.evidence["sizes_slower"]) == (3, 10)
    assert found.evidence["faster_ratio"] == pytest.approx(2.0)
    assert found.evidence["faster_ratio_low"] <= 2.0 <= found.evidence["faster_ratio_high"]
    assert "clever is 2.0x faster than plain at 1 MiB to 4 MiB" in found.text
    assert "slower at 1 B to 512 B" in found.text
    assert "unclear at 1 KiB to 512 KiB" in found.text
    assert "--way plain,clever" in (found.command or "")
    assert found.gain.times == pytest.approx(2.0)


def test_a_slower_variant_is_no_finding_but_of_an_import(evidence, figure) -> None:
    whole = evidence([figure(), figure(2e-6, way="clever")])
    assert list(variants_compared.find(whole)) == []
    run = msgspec.structs.replace(whole.run, imported=Import(program="p", files=()))
    (found,) = variants_compared.find(dataclasses.replace(whole, run=run))
    assert (
        found.severity == "fact"
        and found.text == "family/thing: plain is faster than clever (2.0x)."
    )
    assert found.evidence["slower_ratio"] == pytest.approx(2.0)


def with_choices(whole, *choices):
    """The same run with a benchmark whose `way` has these choices, the first its default."""
    benchmarks = [
        msgspec.structs.replace(
            one,
            axes=tuple(
                msgspec.structs.replace(axis, choices=choices, default=choices[0])
                if axis.name == "way"
                else axis
                for axis in one.axes
            ),
        )
        for one in whole.run.benchmarks
    ]
    run = msgspec.structs.replace(whole.run, benchmarks=benchmarks)
    return dataclasses.replace(whole, run=run)


def test_of_several_faster_algorithms_the_best_of_each_size_is_recommended(
    evidence, figure
) -> None:
    seconds = {"library": (4e-6, 4e-6), "shared": (1e-6, 3e-6), "ring": (2e-6, 2e-6)}
    points = [
        figure(time, size, way=way)
        for way, times in seconds.items()
        for size, time in zip((8, 1024), times, strict=True)
    ]
    (found,) = variants_compared.find(with_choices(evidence(points), *seconds))
    assert (
        "the fastest of shared (8 B) and ring (1 KiB) is 2.0x to 4.0x faster than the library at "
        "8 B to 1 KiB, most at 8 B." in found.text
    )
    assert found.command == "leadline tune family/thing --mpi first --place 1x2"
    assert "leadline exec" in found.advice and found.gain.times == pytest.approx(4.0)


def test_libraries_race_with_what_a_program_gets(evidence, figure) -> None:
    points = [
        figure(time, way=way, mpi=mpi)
        for mpi, way, time in (
            ("first", "library", 1e-6),
            ("first", "ring", 8e-6),
            ("second", "library", 1e-6),
            ("second", "ring", 1e-6),
        )
    ]
    whole = with_choices(evidence(points), "library", "ring")
    assert list(libraries_compared.find(whole)) == []
    # A choice that is the program's own is one that it gets.
    (found,) = libraries_compared.find(evidence(points))
    assert found.evidence["faster_ratio"] == pytest.approx(8.0)


def test_variants_compared_stays_silent_of_different_tasks(evidence, figure) -> None:
    whole = evidence([figure(), figure(5e-7, way="clever")])
    benchmarks = [
        msgspec.structs.replace(
            one, axes=tuple(msgspec.structs.replace(axis, ways=False) for axis in one.axes)
        )
        for one in whole.run.benchmarks
    ]
    run = msgspec.structs.replace(whole.run, benchmarks=benchmarks)
    other = dataclasses.replace(whole, run=run)
    assert list(variants_compared.find(whole)) and not list(variants_compared.find(other))
    assert list(pairs(whole.run, whole.points)) and not list(pairs(run, whole.points))


@pytest.mark.parametrize("ratio", [0.97, 1.0, 1.03])
def test_a_small_difference_is_none(ratio: float, evidence, figure) -> None:
    assert not list(
        variants_compared.find(evidence([figure(), figure(ratio * 1e-6, way="clever")]))
    )


def test_a_difference_that_launches_do_not_agree_on_is_none(evidence, figure) -> None:
    unsure = figure(5e-7, way="clever", launch_medians_s=(3e-7, 5e-7, 2e-6))
    assert not list(variants_compared.find(evidence([figure(), unsure])))


def test_luck_that_launches_share_does_not_hide_a_difference(evidence, figure) -> None:
    slow = figure(4e-6, launch_medians_s=(2e-6, 4e-6, 8e-6))
    quick = figure(2e-6, way="clever", launch_medians_s=(1.01e-6, 1.99e-6, 4e-6))
    (found,) = variants_compared.find(evidence([slow, quick]))
    assert found.evidence["faster_ratio"] == pytest.approx(2.0, rel=0.02)


def test_points_that_differ_in_more_are_not_compared(evidence, figure) -> None:
    other = figure(5e-7, way="clever", processes_per_node=4, processes=4)
    assert not list(variants_compared.find(evidence([figure(), other])))


def test_variants_without_size_are_compared(evidence, figure) -> None:
    pair = [figure(2e-6, None), figure(1e-6, None, way="clever")]
    (found,) = variants_compared.find(evidence(pair))
    assert "clever is 2.0x faster than plain." in found.text


def test_a_library_that_beats_the_first_one_is_a_notice(evidence, figure) -> None:
    first = [figure(1e-6, 8), figure(8e-6, 1024)]
    second = [figure(2e-6, 8, mpi="second"), figure(2e-6, 1024, mpi="second")]
    (found,) = libraries_compared.find(evidence([*first, *second]))
    assert found.severity == "notice"
    assert found.evidence["faster_ratio"] == pytest.approx(4.0)
    assert found.evidence["faster_at_bytes"] == 1024
    assert "second is 4.0x faster than first at 1 KiB; 2.0x slower" in found.text
    assert found.command == "leadline mpi default second"


def test_libraries_compared_stays_silent_of_one_launch_each(evidence, figure) -> None:
    pair = [figure(launches=1), figure(5e-6, mpi="second", launches=1)]
    assert not list(libraries_compared.find(evidence(pair)))
