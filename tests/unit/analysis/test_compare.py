"""Two runs held against each other: which figures, and which verdicts."""

import hashlib

import msgspec
import numpy as np
import pytest
from example_platform import machine
from launched import figure, imported
from run_parts import run

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.differences import differences, software_changes
from leadline.model.plan import Plan
from leadline.model.software import Variable
from leadline.output.html.comparison import section
from leadline.site.software.records import of_run


def held(base, other, **options):
    return compare("before", base, "after", other, **options)


def verdict(base, other, **options) -> str:
    (found,) = held([base], [other], **options).figures
    return found.verdict


STEADY = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01, 0.99, 1.002, 0.998)


def times(factor):
    return [factor * value for value in STEADY]


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(1.0, "same"), (1.02, "same"), (1.1, "slower"), (3.0, "slower"), (0.9, "faster")],
)
def test_steady_launches_give_a_verdict(factor, expected):
    assert verdict(figure(times(1.0)), figure(times(factor))) == expected


def test_a_difference_of_no_use_is_no_verdict():
    base, other = figure(times(1.0)), figure(times(1.04))
    assert verdict(base, other, same_within=0.10) == "same"
    assert verdict(base, other, same_within=0.01) == "slower"


def test_three_launches_tell_a_difference_that_their_scatter_cannot_make():
    (found,) = held([figure([1.0, 1.01, 0.99])], [figure([2.0, 2.01, 1.99])]).figures
    assert found.verdict == "slower" and found.p_value <= 0.05 and found.launches_needed is None
    assert found.low < 2.0 < found.high < 2.1
    assert found.method == "rotated launches, 3 and 3, scatter of all figures"


def test_one_launch_is_too_few_and_the_answer_says_how_many_would_do():
    (found,) = held([figure([1.0])], [figure([2.0])]).figures
    assert (found.verdict, found.p_value, found.launches_needed) == ("cannot tell", None, 10)


def test_steady_figures_tell_how_the_launches_of_a_disturbed_one_scatter():
    # Alone, three launches that scatter so do not tell 1.4; nine others scatter by less.
    base, other = [1.0, 1.14, 0.88], [1.4, 1.22, 1.55]
    assert verdict(figure(base), figure(other)) == "cannot tell"
    random = np.random.default_rng(5)
    sizes = range(10, 19)
    before, after = (
        [figure(random.lognormal(0, 0.06, 3).tolist(), size=size) for size in sizes]
        for _ in range(2)
    )
    found = held([figure(base), *before], [figure(other), *after]).figures
    assert found[0].verdict == "slower"
    assert {each.verdict for each in found[1:]} <= {"same", "cannot tell"}


def test_the_more_launches_scatter_the_more_are_needed():
    needed = []
    for scatter in (4, 7, 10):
        wide = [value**scatter for value in STEADY]
        (found,) = held([figure(wide[:3])], [figure([1.12 * v for v in wide[:3]])]).figures
        assert found.verdict == "cannot tell"
        needed.append(found.launches_needed)
    assert needed[0] < needed[1] < needed[2]


def test_launches_in_a_slow_state_hide_no_slow_down():
    slow = [2.5 if i in (1, 4, 5) else 1.0 for i in range(10)]
    base = figure([a * b for a, b in zip(slow, STEADY, strict=True)])
    other = figure([1.1 * a * b for a, b in zip(slow[::-1], STEADY, strict=True)])
    assert verdict(base, other) == "slower"


def test_a_side_that_was_measured_only_in_the_slow_state_is_no_verdict():
    mixed = figure([2.5 * value if value < 0.995 else value for value in STEADY])
    assert verdict(mixed, figure(times(2.5))) == "cannot tell"


@pytest.mark.parametrize(
    ("as_slow", "expected"), [(0, "slower"), (1, "slower"), (3, "slower"), (4, "cannot tell")]
)
def test_an_eighth_of_the_launches_shows_a_slow_while(as_slow, expected):
    many = STEADY * 4
    slow = range(0, 8 * as_slow, 8)
    base = figure([1.4 * many[i] if i in slow else many[i] for i in range(32)])
    assert verdict(base, figure([1.35 * value for value in many[:32]])) == expected


def test_figures_without_intervals_need_a_quarter():
    assert verdict(imported(1.0), imported(1.2)) == "cannot tell"
    (found,) = held([imported(1.0)], [imported(1.3)]).figures
    assert (found.verdict, found.low, found.method) == ("slower", None, "no interval")
    assert verdict(figure(times(1.0)), imported(0.7)) == "faster"


def test_figures_are_paired_across_what_differs():
    base = [figure(times(1.0), size=size, mpi="one") for size in (8, 64)]
    other = [figure(times(1.0), size=size, mpi="another") for size in (64, 1024)]
    found = held(base, other)
    assert [each.name for each in found.figures] == ["family/thing at 64 B"]
    assert found.only_base == ("family/thing at 8 B with one",)
    assert found.only_other == ("family/thing at 1 KiB with another",)


def test_a_choice_that_both_have_is_never_crossed():
    ways = {way: figure(times(1.0), axes={"way": way}) for way in ("plain", "clever", "new")}
    found = held([ways["plain"], ways["clever"]], [ways["clever"], ways["new"]])
    assert [each.name for each in found.figures] == ["family/thing way=clever at 8 B"]
    assert found.only_other == ("family/thing way=new at 8 B",)


def test_a_figure_is_in_one_pair_at_most():
    both = [figure(times(1.0), mpi=mpi) for mpi in ("two", "three")]
    found = held([figure(times(1.0), mpi="one")], both)
    assert len(found.figures) == 1
    assert found.figures[0].other.mpi == "two"
    assert found.only_other == ("family/thing at 8 B with three",)


def test_a_time_of_zero_has_no_ratio():
    found = held([figure([0.0, 0.0])], [figure([1.0, 1.0])])
    assert found.figures == ()
    assert found.without_ratio == ("family/thing at 8 B",)


STARTED = "2026-11-21T07:30:12+00:00"
CROSSBAR = machine({"kind": "crossbar"}, 8)


def simulated(platform):
    return run(plan=Plan(entries=(), platform="mine"), started=STARTED, platform=platform)


def faster(platform, factor):
    network = platform.network
    twice = msgspec.structs.replace(network, bandwidth=factor * network.bandwidth)
    return msgspec.structs.replace(platform, network=twice)


def told(one, other):
    return {
        each.name: (each.base, each.other) for each in differences(simulated(one), simulated(other))
    }


def test_a_platform_that_was_edited_between_two_runs_is_named_with_what_was_edited():
    edited = faster(CROSSBAR, 2)
    found = told(CROSSBAR, edited)
    assert found.pop("simulated on") == (
        f"example, digest {CROSSBAR.digest}",
        f"example, digest {edited.digest}",
    )
    assert found == {"platform network bandwidth": ("1000000000.0", "2000000000.0")}


def test_another_platform_is_named_without_all_of_its_numbers():
    other = msgspec.structs.replace(faster(CROSSBAR, 2), name="other")
    assert set(told(CROSSBAR, other)) == {"simulated on"}


def test_what_moves_no_message_is_no_difference():
    reworded = msgspec.structs.replace(CROSSBAR, summary="another", source="a book", assumed="much")
    assert reworded.digest == CROSSBAR.digest
    assert told(CROSSBAR, reworded) == {}


def test_a_digest_is_that_of_the_numbers_and_stays_the_same():
    # A digest that moved with leadline's version would tell of changes that nobody made.
    text = (
        '{"network": {"bandwidth": 1000000000.0, "bandwidth_factors": [[0, 1.0]], '
        '"latency_factors": [[0, 1.0]], "latency_s": 1e-06}, "node": {"bandwidth": 2000000000.0, '
        '"bandwidth_factors": [[0, 1.0]], "cores": 2, "flops": 1000000000.0, '
        '"latency_factors": [[0, 1.0]], "latency_s": 3e-07}, "nodes": 8, "noise": {"delay_s": 0.0, '
        '"latency": 0.0, "probability": 0.0, "seed": 1}, "software": {"eager_bytes": 65536, '
        '"receive": [[0, 0.0, 0.0]], "send": [[0, 0.0, 0.0]]}, "topology": {"kind": "crossbar"}}'
    )
    assert CROSSBAR.digest == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert faster(faster(CROSSBAR, 2), 0.5).digest == CROSSBAR.digest


SINGLE_COPY = Variable(
    name="OMPI_MCA_btl_vader_single_copy_mechanism", value="none", source="environment"
)
THREADS = Variable(name="OMP_NUM_THREADS", value="1", source="environment")


def measured(variables):
    return run(started=STARTED, machine={"host": "vm"}, variables=variables)


def test_a_variable_that_one_run_inherited_is_named_with_value_and_origin():
    without, having = measured([THREADS]), measured([SINGLE_COPY, THREADS])
    [found] = differences(without, having)
    assert found.name == "variable OMPI_MCA_btl_vader_single_copy_mechanism"
    assert (found.base, found.other) == ("not set", "`none` (environment)")
    nothing = compare("a", [], "b", [])
    assert section(nothing, 1, [without, having])["differences"] == (found,)
    [change] = software_changes(of_run(without), of_run(having))
    assert (change.name, change.change) == (SINGLE_COPY.name, "only in other")
    assert change.other == "`none`"


def test_variables_of_a_run_that_did_not_look_are_no_difference():
    assert differences(measured(None), measured([SINGLE_COPY])) == ()
    assert software_changes(of_run(measured(None)), of_run(measured([SINGLE_COPY]))) == ()


def test_a_file_that_sets_another_value_is_a_difference():
    moved = msgspec.structs.replace(THREADS, value="2", source="/etc/environment")
    [found] = differences(measured([THREADS]), measured([moved]))
    assert (found.base, found.other) == ("`1` (environment)", "`2` (/etc/environment)")
