"""Latency that stops work from scaling: the right numbers, and silence where it does not."""

import msgspec
import pytest

from leadline.analysis.findings.rules.latency_stops_scaling import latency_stops_scaling
from leadline.model.description import Delivery

WORK_S = 2e-3


@pytest.fixture
def steps(figure):
    """Figures of a step on 1, 2, 4 and 8 hosts: the work divided, and so many exchanges."""

    def make(each_us, exchanges=20, counts=(1, 2, 4, 8), puts=0.0, **changes):
        metrics = {"problem_size": 1e6, "exchanges": float(exchanges), "message_bytes": 80.0}
        metrics |= {"one_sided_percent": puts, **changes.pop("metrics", {})}
        found = []
        for count in counts:
            told = metrics | ({"exchange_us": each_us} if count > 1 else {})
            waiting = exchanges * each_us * 1e-6 if count > 1 else 0.0
            place = {"processes": count, "nodes": count, "processes_per_node": 1}
            found.append(figure(WORK_S / count + waiting, None, metrics=told, **place, **changes))
        return found

    return make


def test_many_exchanges_are_counted_against_the_work(evidence, steps):
    (found,) = latency_stops_scaling.find(evidence(steps(100.0)))
    assert found.severity == "notice"
    # 2 ms of waiting on 8 hosts, beside a quarter of a millisecond.
    assert found.evidence["waiting_s"] == pytest.approx(2e-3)
    assert found.evidence["rest_s"] == pytest.approx(0.25e-3)
    assert found.evidence["waiting_fraction"] == pytest.approx(2 / 2.25)
    assert found.evidence["even_processes"] == pytest.approx(1)
    assert found.evidence["stops_at_processes"] == 1
    assert "20 messages of 80 B take 100 us each: 2.00 ms of 2.25 ms (89 %)." in found.text
    assert found.advice is found.gain is None


def test_from_where_on_waiting_is_longer(evidence, steps):
    # 2 ms of work and 0.4 ms of waiting, which are even on five; twice 32 gain less than a tenth.
    whole = evidence(steps(20.0, counts=(1, 8, 32, 64)))
    (found,) = latency_stops_scaling.find(whole)
    assert found.evidence["stops_at_processes"] == 32
    assert found.evidence["even_processes"] == pytest.approx(5)


def test_puts_of_the_same_run_say_what_they_gain(evidence, steps):
    whole = evidence([*steps(100.0, way="messages"), *steps(20.0, way="puts", puts=100.0)])
    (found,) = latency_stops_scaling.find(whole)
    assert "family/thing (messages)" in found.text
    assert "One-sided (family/thing (puts)) is 3.5x faster." in found.text
    assert found.evidence["one_sided_exchange_us"] == pytest.approx(20)
    assert found.evidence["one_sided_gain"] == pytest.approx(2.25 / 0.65, rel=0.01)
    assert "(family/thing (puts))" in found.advice
    assert "--way" in found.command and found.gain.times == found.evidence["one_sided_gain"]


def test_the_fastest_way_to_send_speaks_for_messages(evidence, steps):
    whole = evidence([*steps(150.0, way="slow"), *steps(100.0, way="fast")])
    (found,) = latency_stops_scaling.find(whole)
    assert "Latency stops family/thing (fast) at 1 process" in found.text


def test_puts_that_are_no_faster_are_no_way_out(evidence, steps):
    whole = evidence([*steps(100.0, way="messages"), *steps(99.0, way="puts", puts=100.0)])
    (found,) = latency_stops_scaling.find(whole)
    assert "gains nothing." in found.text and found.advice is None
    worse = evidence([*steps(100.0, way="messages"), *steps(300.0, way="puts", puts=100.0)])
    (found,) = latency_stops_scaling.find(worse)
    assert "is slower." in found.text


def test_puts_alone_need_no_puts(evidence, steps):
    (found,) = latency_stops_scaling.find(evidence(steps(100.0, puts=100.0)))
    assert "ne-sided" not in found.text and found.advice is None


@pytest.mark.parametrize(("put_us", "expected_ms"), [(20.0, 0.25 + 2 * 0.4), (60.0, None)])
def test_single_deliveries_say_what_puts_would_gain(evidence, steps, figure, put_us, expected_ms):
    across = {"nodes": 2, "processes_per_node": 1}
    single = [
        figure(size_us * 1e-6, size, benchmark=f"family/{side}", **across)
        for side, small_us in (("put", put_us), ("message", 50.0))
        for size, size_us in ((64, small_us), (2**20, 1e4))
    ]
    whole = evidence([*steps(100.0), *single])
    (model,) = whole.run.benchmarks
    whole.run.benchmarks += [
        msgspec.structs.replace(
            model, name=f"family/{side}", delivery=Delivery(sides=sides, series="time")
        )
        for side, sides in (("put", "one-sided"), ("message", "two-sided"))
    ]
    (found,) = latency_stops_scaling.find(whole)
    assert found.evidence["put_us"] == pytest.approx(put_us)
    assert found.evidence["message_us"] == pytest.approx(50)
    if expected_ms:
        assert found.evidence["expected_one_sided_s"] == pytest.approx(expected_ms * 1e-3)
        # What is only expected is no advice.
        assert found.advice is found.gain is None
    else:
        assert "one-sided gains nothing." in found.text


def test_work_that_goes_on_scaling_is_not_stopped(evidence, steps):
    assert list(latency_stops_scaling.find(evidence(steps(0.1)))) == []


def test_work_that_stops_for_another_reason_is_not_latencys(evidence, steps):
    flat = [
        msgspec.structs.replace(one, median_s=WORK_S, launch_medians_s=(WORK_S,) * 3)
        for one in steps(1.0)
    ]
    assert list(latency_stops_scaling.find(evidence(flat))) == []


def test_latency_stops_scaling_stays_silent_of_large_messages(evidence, steps):
    large = steps(100.0, metrics={"message_bytes": 1e6})
    assert list(latency_stops_scaling.find(evidence(large))) == []


def libraries(figure, seconds_by_library):
    return [
        figure(seconds, None, metrics={"problem_size": 1.0}, mpi=mpi, processes=count, nodes=count,
               processes_per_node=1)
        for mpi, times in seconds_by_library.items()
        for count, seconds in times.items()
    ]  # fmt: skip


STOPS = {2: 6.18, 4: 4.80, 8: 4.58, 16: 5.62}
GOES_ON = {2: 6.23, 4: 4.22, 8: 3.31, 16: 2.86}


def test_a_library_that_goes_on_shows_what_the_other_waits(evidence, figure):
    whole = evidence(libraries(figure, {"stops": STOPS, "goes": GOES_ON}))
    (found,) = latency_stops_scaling.find(whole)
    assert "with stops at 4 processes" in found.text
    assert found.evidence["waiting_s"] == pytest.approx(2.76)
    assert found.evidence["waiting_fraction"] == pytest.approx(0.491, abs=0.001)


def test_a_library_that_is_faster_on_few_processes_too_proves_nothing(evidence, figure):
    faster = {count: seconds / 2 for count, seconds in GOES_ON.items()}
    whole = evidence(libraries(figure, {"stops": STOPS, "goes": faster}))
    assert list(latency_stops_scaling.find(whole)) == []
    both = evidence(libraries(figure, {"stops": STOPS, "too": STOPS}))
    assert list(latency_stops_scaling.find(both)) == []
