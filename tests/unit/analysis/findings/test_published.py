"""What leadline says of published measurements: what their authors concluded, and its opposite.

The rules know no data set: the same tables mirrored or scrambled must not give these findings.
"""

import random

import msgspec
import pytest
from checkout import CHECKOUT

from leadline.analysis.findings.conclude import conclude
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


def test_machines_with_changed_names_have_changed_places(published):
    swapped = published(PUT, lambda one: renamed(one, "machine", {"T3D": "T3E", "T3E": "T3D"}))
    (found,) = of_kind(swapped, "steadiness")
    assert "(receiver, T3D) on 2x1" in found.text.partition("less steady")[0]


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


def test_placements_are_told_up_to_where_one_is_clearly_faster(published):
    (found,) = of_kind(published(PING), "placements_compared")
    assert "unclear at 620 KiB to 1020 KiB" in found.text
    assert found.advice == "Keep ranks that exchange messages up to 580 KiB on one node."
    assert "crossover_from_bytes" not in found.evidence
    assert found.evidence["faster_ratio"] == pytest.approx(2.95, abs=0.01)


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
    (flat,) = of_kind(published(WATER), "speedup_stops", "(initialization, T3D)")
    assert flat.evidence["curves"] == 2 and flat.evidence["speed_up"] < 1.05


def test_what_stops_the_time_step_is_waiting_that_shared_arrays_do_without(published):
    (found,) = of_kind(published(WATER), "latency_stops_scaling")
    assert "(timestep, T3D) with MPI at 4 processes" in found.text and "with CRAFT" in found.text
    (other,) = of_kind(published(WATER), "speedup_stops", "(timestep, T3E)")
    assert "CRAFT" not in other.text, "which only the T3D had"
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
