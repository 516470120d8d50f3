"""One-sided or two-sided: the right side by size; what means something else is not compared."""

import msgspec
import pytest

from leadline.analysis.findings.rules.one_sided import one_sided
from leadline.model.description import Delivery, Series

SIZES = [2**power for power in range(0, 21, 4)]


def puts(size: int) -> float:
    return 2e-7 + size / 5e9


def messages(size: int) -> float:
    return 8e-7 + size / 1e10


@pytest.fixture
def told(evidence, figure):
    """Find from curves (benchmark, seconds by size, changes); `deliveries` by benchmark."""

    def find(*curves, deliveries=None):
        declared = deliveries or {
            "family/put": Delivery(sides="one-sided", series="time"),
            "family/message": Delivery(sides="two-sided", series="time"),
        }
        figures = [
            figure(seconds(size), size, benchmark=name, **changes)
            for name, seconds, changes in curves
            for size in changes.pop("sizes", SIZES)
        ]
        whole = evidence(figures)
        (model,) = whole.run.benchmarks
        whole.run.benchmarks = [
            msgspec.structs.replace(
                model, name=name, delivery=each, series=(Series(name="time", definition=""),)
            )
            for name, each in declared.items()
        ]
        return list(one_sided.find(whole))

    return find


def test_the_other_way_round(told):
    (found,) = told(("family/put", messages, {}), ("family/message", puts, {}))
    assert "two-sided messages up to 4 KiB and one-sided ones from 64 KiB on" in found.advice


def test_no_clear_difference_is_an_answer_too(told):
    (found,) = told(("family/put", puts, {}), ("family/message", puts, {}))
    assert "No clear difference between one-sided and two-sided." in found.text
    assert found.evidence == {
        "sizes_faster": 0,
        "sizes_slower": 0,
        "sizes_unclear": 6,
        "sizes_disturbed": 0,
    }
    assert found.advice is None


def test_a_side_is_as_fast_as_its_fastest_way(told):
    (found,) = told(
        ("family/put", lambda size: 2 * messages(size), {"way": "plain"}),
        ("family/put", lambda size: messages(size) / 2, {"way": "clever"}),
        ("family/message", messages, {}),
    )
    assert found.evidence["sizes_faster"] == 6
    assert "One-sided is family/put (clever)" in found.text


def test_one_sided_stays_silent_where_the_data_are_not_known(told):
    unsafe = Delivery(sides="one-sided", series="time", where={"way": ("plain",)})
    message = Delivery(sides="two-sided", series="time")
    declared = {"family/put": unsafe, "family/message": message}
    quick = ("family/put", lambda size: messages(size) / 9, {"way": "clever"})
    other = ("family/message", messages, {})
    assert told(quick, other, deliveries=declared) == []
    (found,) = told(quick, ("family/put", messages, {}), other, deliveries=declared)
    assert found.evidence["sizes_faster"] == 0
    only_sent = ("family/put", puts, {"series": "sent"})
    assert told(only_sent, other) == []


def test_each_library_and_all_together(told):
    found = told(
        ("family/put", puts, {"mpi": "first"}),
        ("family/message", messages, {"mpi": "first"}),
        ("family/message", lambda size: messages(size) / 8, {"mpi": "second"}),
    )
    assert ["with first:" in one.text for one in found] == [True, False]
    assert found[0].evidence["sizes_faster"] == 4
    assert found[1].evidence["sizes_faster"] == 0
    assert "with second" in found[1].text


def test_a_side_that_only_another_library_has_is_compared_with_it(told):
    (found,) = told(
        ("family/put", puts, {"mpi": "second"}), ("family/message", messages, {"mpi": "first"})
    )
    assert "with the fastest library for each" in found.text


@pytest.mark.parametrize(
    "other", [{"settings": {"cache": "cold"}}, {"nodes": 2, "processes_per_node": 1}]
)
def test_other_caches_and_places_are_not_compared(told, other):
    assert told(("family/put", puts, other), ("family/message", messages, {})) == []


def test_a_start_of_its_own_is_no_obstacle(told):
    own = {"settings": {"start": "agreed"}}
    assert told(("family/put", puts, own), ("family/message", messages, {}))


def test_figures_shaped_by_other_processes_do_not_answer(told):
    disturbed = {"flags": {"preempted": 600}}
    assert told(("family/put", puts, disturbed), ("family/message", messages, {})) == []


def test_sizes_that_were_disturbed_are_named(told):
    (found,) = told(
        ("family/put", puts, {"sizes": SIZES[:-1]}),
        ("family/put", puts, {"sizes": SIZES[-1:], "flags": {"preempted": 600}}),
        ("family/message", messages, {}),
    )
    assert found.evidence["sizes_disturbed"] == 1


def test_a_library_that_is_the_fastest_everywhere_is_told_once(told):
    (found,) = told(
        ("family/put", puts, {"mpi": "first"}),
        ("family/message", messages, {"mpi": "first"}),
        ("family/put", lambda size: 3 * puts(size), {"mpi": "second"}),
    )
    assert "with the fastest library for each" in found.text
