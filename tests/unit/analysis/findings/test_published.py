"""What leadline says of published measurements: what their authors concluded, and its opposite.

The rules know no data set: the same tables mirrored or scrambled must not give these findings.
"""

import random

import msgspec
import pytest
from checkout import CHECKOUT

from leadline.analysis.findings import conclude
from leadline.exchange.imports.collect import import_files

DATASETS = CHECKOUT / "datasets"
KIB, MIB = 1024, 2**20


class _None:
    def columns(self, point):
        raise LookupError


def _analysed(run):
    return conclude(run, _None())


@pytest.fixture(scope="module")
def published():
    """The findings of a data set, by kind; `change` makes another figure of each, or drops it."""
    runs = {path.stem: import_files([path]) for path in DATASETS.glob("*.csv")}

    def make(name, change=None):
        run = runs[name]
        if change:
            figures = tuple(filter(None, map(change, run.imported.figures)))
            run = msgspec.structs.replace(
                run, imported=msgspec.structs.replace(run.imported, figures=figures)
            )
        return _analysed(run).findings

    return make


def of_kind(findings, kind, *words):
    return [one for one in findings if one.kind == kind and all(word in one.text for word in words)]


def slower(figure, factor):
    """The figure with its time times `factor`."""
    rate = figure.bandwidth_MBps
    return msgspec.structs.replace(
        figure,
        median_s=figure.median_s * factor,
        launch_medians_s=(figure.median_s * factor,),
        bandwidth_MBps=rate and rate / factor,
    )


def renamed(figure, axis, names):
    return msgspec.structs.replace(
        figure, axes={**figure.axes, axis: names.get(figure.axes[axis], figure.axes[axis])}
    )


PUT = "arsc-shmem-put-1997"


def test_the_t3e_is_faster_than_the_t3d(published):
    (found,) = of_kind(published(PUT), "variants_compared", "(receiver)")
    assert found.evidence["faster_ratio"] == pytest.approx(2.06, abs=0.01)
    assert found.evidence["sizes_faster"] == 5
    # And slower for the two smallest, which nobody wrote.
    assert found.evidence["sizes_slower"] == 2
    assert "1.3x to 1.5x slower at 8 B to 80 B" in found.text


def test_the_t3e_is_less_steady_than_the_t3d(published):
    (found,) = of_kind(published(PUT), "steadiness")
    assert "T3E) on 2x1" in found.text.partition("less steady")[0]
    assert found.evidence["low_MBps"] == pytest.approx(252.6, abs=0.1)
    assert found.evidence["high_MBps"] == pytest.approx(332.9, abs=0.1)
    # The T3D stays within a few per cent, and at most at 126 MB/s.
    assert found.evidence["steady_spread_fraction"] < 0.02
    assert found.evidence["steady_high_MBps"] == pytest.approx(126.6, abs=0.1)


def test_the_t3e_is_quieter_behind_a_spacer(published):
    found = of_kind(published(PUT), "neighbours_disturb", "(receiver, T3E)")
    assert [one.evidence["faster_ratio"] for one in found] == [pytest.approx(1.33, abs=0.01)]
    assert "spacer=none against spacer=16 PEs" in found[0].text
    assert found[0].evidence["without_MBps"] == pytest.approx(300, abs=1)
    # A spacer of 8 PEs did not help, and nobody says so.
    assert not of_kind(published(PUT), "neighbours_disturb", "against spacer=8 PEs")


def test_machines_with_changed_names_have_changed_places(published):
    swapped = published(PUT, lambda one: renamed(one, "machine", {"T3D": "T3E", "T3E": "T3D"}))
    (found,) = of_kind(swapped, "steadiness")
    assert "(receiver) on 2x1" in found.text.partition("less steady")[0]


def test_without_the_scatter_neither_neighbours_nor_steadiness_are_named(published):
    calm = {one.bytes: one for one in import_files([DATASETS / f"{PUT}.csv"]).imported.figures
            if one.axes["machine"] == "T3E" and one.axes["spacer"] == "none"
            and one.series == "receiver"}  # fmt: skip

    def change(one):
        if one.axes["machine"] == "T3D" or one.series == "sender":
            return None if one.series == "sender" else one
        return msgspec.structs.replace(calm[one.bytes], axes=one.axes)

    found = published(PUT, change)
    assert not of_kind(found, "steadiness") and not of_kind(found, "neighbours_disturb")
    assert of_kind(found, "variants_compared", "T3E on 2x1")


PING = "waseda-pingpong-score"


def test_inside_a_node_the_rate_falls_beyond_the_cache(published):
    (found,) = of_kind(published(PING), "rate_falls")
    assert "on 1x2" in found.text
    assert 64 * KIB <= found.evidence["best_size_bytes"] <= 110 * KIB
    assert found.evidence["best_MBps"] * 1e6 / MIB == pytest.approx(323.9, abs=0.1)
    assert found.evidence["largest_size_MBps"] * 1e6 / MIB == pytest.approx(144.3, abs=0.1)
    assert 140 * KIB < found.evidence["falls_from_bytes"] < 300 * KIB


def test_across_nodes_the_rate_holds(published):
    (found,) = of_kind(published(PING), "best_size", "on 2x1")
    assert "90 % of it from 76 KiB to 1 MiB" in found.text
    assert found.evidence["best_MBps"] * 1e6 / MIB == pytest.approx(158, abs=2)
    assert found.evidence["largest_size_MBps"] > 0.96 * found.evidence["best_MBps"]
    (inside,) = of_kind(published(PING), "best_size", "on 1x2")
    assert "1 MiB" not in inside.text


def test_it_converges_to_the_rate_of_the_link(published):
    (found,) = of_kind(published(PING), "link_limit")
    assert "on 2x1" in found.text
    assert found.evidence["limit_MBps"] == 180
    assert found.evidence["limit_fraction"] == pytest.approx(0.93, abs=0.01)


def test_placements_change_places_at_a_size(published):
    (found,) = of_kind(published(PING), "placements_compared")
    assert found.evidence["crossover_from_bytes"] == 820 * KIB
    assert found.evidence["crossover_to_bytes"] == 860 * KIB
    assert found.evidence["faster_ratio"] == pytest.approx(2.95, abs=0.01)


def test_times_across_nodes_swing_by_packets(published):
    (found,) = of_kind(published(PING), "oscillation")
    assert "on 2x1" in found.text
    assert found.evidence["period_bytes"] == 8 * KIB
    assert 0.15 < found.evidence["largest_fraction"] < 0.25


def test_a_curve_in_another_order_of_sizes_does_not_fall(published):
    figures = import_files([DATASETS / f"{PING}.csv"]).imported.figures
    inside = {one.bytes: one.bandwidth_MBps for one in figures if one.nodes == 1 and one.bytes}
    mirrored = dict(zip(sorted(inside), sorted(inside.values()), strict=True))

    def change(one):
        if one.nodes > 1 or not one.bytes:
            return one
        return slower(one, one.bandwidth_MBps / mirrored[one.bytes])

    assert not of_kind(published(PING, change), "rate_falls")


def test_a_rate_beyond_the_link_cannot_be_right(published):
    found = published(PING, lambda one: slower(one, 0.5) if one.nodes == 2 else one)
    (wrong,) = of_kind(found, "impossible")
    assert wrong.severity == "problem"
    assert wrong.evidence["beyond_factor"] == pytest.approx(2 * 166.8 / 180, abs=0.01)
    assert not of_kind(published(PING), "impossible")


SUM = "chic-global-sum-2007"


def test_one_library_loses_everywhere_and_the_other_little(published):
    (lost,) = of_kind(published(SUM), "variants_compared", "with Open MPI")
    assert (lost.evidence["cases_faster"], lost.evidence["cases_slower"]) == (10, 0)
    assert lost.evidence["faster_least_ratio"] == pytest.approx(5.0, abs=0.01)
    assert lost.evidence["faster_ratio"] == pytest.approx(21.1, abs=0.01)
    (little,) = of_kind(published(SUM), "variants_compared", "with MVAPICH")
    assert little.evidence["faster_ratio"] == pytest.approx(1.40, abs=0.01)
    # In places it wins.
    assert little.evidence["cases_slower"] == 2
    assert little.evidence["slower_ratio"] == pytest.approx(1.74, abs=0.01)


def test_it_is_told_once_for_all_numbers_of_processes(published):
    assert len(of_kind(published(SUM), "variants_compared")) == 2
    assert len(of_kind(published(SUM), "libraries_compared")) == 1


def test_the_machine_before_does_the_same_everywhere(published):
    found = of_kind(published(SUM), "grows_with_processes")
    (fact,) = [one for one in found if one.severity == "fact"]
    assert "CLiC" in fact.text and "Open MPI" not in fact.text
    assert fact.evidence["off_fraction"] < 0.01
    assert (fact.evidence["from_processes"], fact.evidence["to_processes"]) == (16, 128)
    (notice,) = [one for one in found if one.severity == "notice"]
    assert "CLiC" not in notice.text
    assert notice.evidence["growth_factor"] == pytest.approx(6.25, abs=0.01)


def test_64_processes_on_32_nodes_cost_more_than_on_64(published):
    (found,) = of_kind(published(SUM), "placements_compared")
    assert "on more nodes (64x1) is 1.5x to 1.8x faster than on fewer nodes (32x2)" in found.text
    assert found.evidence["slower_ratio"] == pytest.approx(1.78, abs=0.01)
    assert (found.evidence["variants"], found.evidence["variants_clear"]) == (4, 3)
    unclear = found.text.partition("Unclear with")[2]
    # The rate of the CLiC is a reprint: it had one processor a node.
    assert "CLiC" not in found.text
    assert "algorithm library, Open MPI" in unclear


def test_libraries_with_changed_names_have_changed_places(published):
    names = {"Open MPI": "MVAPICH", "MVAPICH": "Open MPI"}
    found = published(
        SUM, lambda one: msgspec.structs.replace(one, mpi=names.get(one.mpi, one.mpi))
    )
    (lost,) = of_kind(found, "variants_compared", "with MVAPICH")
    assert lost.evidence["faster_ratio"] == pytest.approx(21.1, abs=0.01)


def test_an_even_machine_has_nothing_to_compare(published):
    even = published(SUM, lambda one: slower(one, 1e-3 * one.processes.bit_length() / one.median_s))
    kinds = {one.kind for one in even}
    assert not kinds & {"variants_compared", "libraries_compared", "placements_compared"}


def test_scrambled_rates_do_not_lose_everywhere(published):
    figures = import_files([DATASETS / f"{SUM}.csv"]).imported.figures
    rates = [one.bandwidth_MBps for one in figures]
    random.Random(3).shuffle(rates)
    given = {id(one): rate for one, rate in zip(figures, rates, strict=True)}
    runs = {(one.mpi, one.processes, one.nodes, one.bytes, str(one.axes)): given[id(one)]
            for one in figures}  # fmt: skip

    def change(one):
        new = runs[one.mpi, one.processes, one.nodes, one.bytes, str(one.axes)]
        return slower(one, one.bandwidth_MBps / new)

    found = published(SUM, change)
    assert all(
        one.evidence["cases_faster"] < 10 or one.evidence["faster_least_ratio"] < 4
        for one in of_kind(found, "variants_compared", "with Open MPI")
    )
    assert not [one for one in of_kind(found, "grows_with_processes") if one.severity == "fact"]


FEM = "chic-fem2d-parallel-2007"


def test_four_processes_on_a_node_cost_more_than_one_on_each(published):
    (found,) = of_kind(published(FEM), "placements_compared")
    assert "(pcg)" in found.text and "16x4" in found.text and "64x1" in found.text
    assert (found.evidence["cases_slower"], found.evidence["cases_faster"]) == (8, 0)
    assert found.evidence["slower_least_ratio"] == pytest.approx(1.33, abs=0.01)
    assert found.evidence["slower_ratio"] == pytest.approx(1.66, abs=0.01)
    # And communication is not why: the processes of a node share its memory.
    assert found.evidence["explained_by_communication_fraction"] < 0.15
    assert "share its memory" in found.text


def test_communication_is_a_few_per_cent_of_the_solution(published):
    (found,) = of_kind(published(FEM), "communication_share")
    assert found.severity == "fact"
    assert 0.02 <= found.evidence["communication_fraction"] <= 0.05
    assert found.evidence["most_fraction"] == pytest.approx(0.30)
    assert "on 32x4" in found.text


def test_the_solution_goes_on_scaling_to_128(published):
    (found,) = of_kind(published(FEM), "speedup", "(pcg)")
    assert 1.9 < found.evidence["least_speed_up"] < found.evidence["speed_up"] < 2.5
    assert not of_kind(published(FEM), "speedup_stops")


def test_placements_with_changed_places_have_changed_signs(published):
    def change(one):
        nodes, each = one.processes // one.processes_per_node, one.processes_per_node
        other = {1: 4, 4: 1}[each]
        return msgspec.structs.replace(
            one, nodes=one.processes // other, processes_per_node=other
        ) if nodes else None  # fmt: skip

    (found,) = of_kind(published(FEM, change), "placements_compared")
    assert found.severity == "fact"
    assert (found.evidence["cases_slower"], found.evidence["cases_faster"]) == (0, 8)


WATER = "arsc-hydrology-mpi-1997"


def test_initialisation_is_seven_times_faster_and_does_not_scale(published):
    (found,) = of_kind(published(WATER), "variants_compared", "(initialization)")
    assert found.evidence["cases_faster"] == 4
    assert found.evidence["faster_least_ratio"] == pytest.approx(7.15, abs=0.01)
    assert found.evidence["faster_ratio"] == pytest.approx(7.39, abs=0.01)
    (flat,) = of_kind(published(WATER), "speedup_stops", "(initialization)")
    assert flat.evidence["curves"] == 2 and flat.evidence["speed_up"] < 1.05


def test_the_time_step_stops_scaling_while_shared_arrays_go_on(published):
    found = {
        machine: one
        # The first machine is the default, which a name leaves out.
        for machine, name in (("T3D", "(timestep)"), ("T3E", "(timestep, T3E)"))
        for one in of_kind(published(WATER), "speedup_stops", name)
        if one.text.startswith(f"application/hydrology {name} with MPI")
    }
    assert found["T3E"].evidence["stops_at_processes"] == 4
    assert found["T3E"].evidence["fastest_processes"] == 4
    assert found["T3D"].evidence["stops_at_processes"] == 4
    assert found["T3D"].evidence["fastest_processes"] == 8
    for one in found.values():
        assert 4 <= one.evidence["predicted_most_processes"] <= 8
        assert "with CRAFT scales to 16 processes" in one.text
        assert "Join small messages" in one.advice
    (goes_on,) = of_kind(published(WATER), "speedup", "CRAFT")
    assert goes_on.evidence["speed_up"] == pytest.approx(6.23 / 2.86, abs=0.01)


def test_what_stops_the_time_step_is_waiting_that_shared_arrays_do_without(published):
    (found,) = of_kind(published(WATER), "latency_stops_scaling")
    assert "(timestep) with MPI at 4 processes" in found.text and "with CRAFT" in found.text
    assert found.evidence["waiting_s"] == pytest.approx(5.62 - 2.86)
    swapped = published(
        WATER, lambda one: msgspec.structs.replace(one, mpi="MPI") if one.mpi == "CRAFT" else None
    )
    assert not of_kind(swapped, "latency_stops_scaling")


def test_a_step_that_halves_with_twice_the_processes_does_not_stop(published):
    def change(one):
        ideal = 8.0 / one.processes
        return slower(one, ideal / one.median_s)

    found = published(WATER, change)
    assert not of_kind(found, "speedup_stops") and of_kind(found, "speedup")


def test_generations_of_machines(published):
    (found,) = published("chemnitz-machines")
    assert found.kind == "machine_generations"
    assert found.evidence["peak_factor"] == 50_000
    assert found.evidence["memory_factor"] == 15_625
    assert 12 < found.evidence["peak_doubling_months"] < 13
    assert found.evidence["first_memory_per_peak_B"] == pytest.approx(0.8)
    assert found.evidence["last_memory_per_peak_B"] == pytest.approx(0.25)


def test_gains_by_placement_as_reported(published):
    found = of_kind(published("cray-mpt-2006-improvements"), "reported_gains")
    (placement,) = of_kind(found, "reported_gains", "smp rank placement")
    assert placement.evidence["least_gain_percent"] == 7
    assert placement.evidence["most_gain_percent"] == 45
    assert len(found) == 5 and "300 %" in found[0].text


def test_a_gain_stands_beside_where_there_is_none(published):
    (found,) = of_kind(
        published("cray-mpt-2006-improvements"), "reported_gains", "message matching"
    )
    assert "almost double" in found.text and "little or no effect" in found.text
    assert found.evidence["least_gain_percent"] == 0


def test_a_pair_of_the_t3d_is_a_node_and_is_held_against_two_of_the_t3e(published):
    (found,) = of_kind(published(PUT), "variants_compared", "(receiver)")
    assert "T3E on 2x1 is 1.7x to 2.1x faster than T3D on 1x2" in found.text
    assert found.text.count("2x1") == 1


def test_the_cluster_is_the_fastest_of_its_time(published):
    (found,) = of_kind(published("chic-fem2d-serial-2007"), "variants_compared")
    assert found.evidence["choices_slower"] == 5
    assert found.evidence["slower_ratio"] == pytest.approx(11.4, abs=0.1)


def test_nothing_published_is_said_with_an_interval(published):
    for path in DATASETS.glob("*.csv"):
        for one in published(path.stem):
            assert not [name for name in one.evidence if name.endswith(("_low", "ratio_high"))]
            assert "leadline run" not in (one.advice or "")
            assert "\n" not in one.text and one.text.endswith(".")


def test_scatter_alone_is_seldom_taken_for_a_difference(published):
    """Ten copies of an even machine whose times scatter by a few per cent, as nobody knows."""
    draws = random.Random(11)
    found = []
    for _ in range(10):
        even = published(
            SUM,
            lambda one: slower(
                one, draws.lognormvariate(0, 0.04) * one.processes.bit_length() / one.median_s
            ),
        )
        found += [one.kind for one in even if one.severity != "fact"]
    assert len(found) <= 1
