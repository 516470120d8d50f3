"""In what two runs differ beside their figures: the machines that they were simulated on."""

import hashlib

import msgspec
from example_platform import machine
from run_parts import run

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.differences import differences, software_changes
from leadline.model.plan import Plan
from leadline.model.software import Variable
from leadline.output.html.comparison import section
from leadline.site.software.records import of_run

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
