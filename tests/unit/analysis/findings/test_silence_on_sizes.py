"""Findings on sizes stay silent of what is no message, and of what a buffer lets pass."""

import pytest
from silent_findings import KIB, bursting, declared, limited, smooth, told

from leadline.analysis.findings.curve_causes import halves
from leadline.analysis.findings.rules.sizes import best_size, larger_is_faster, split_is_faster
from leadline.analysis.findings.rules.swings import erratic, oscillation
from leadline.analysis.findings.rules.switches import protocol_switch, rate_falls


def stepped(size: int) -> float:
    return smooth(size) * (1 + 2 * (size >= 8192))


def swinging(size: int) -> float:
    return smooth(size) * (1 + 0.2 * (-1) ** size.bit_length())


def test_best_size_stays_silent_where_no_link_keeps_the_rate_up(evidence, curve) -> None:
    whole = evidence(curve(smooth))
    assert told(best_size, limited(whole, 1100.0))
    assert not told(best_size, limited(whole, 0.5))


def test_sizes_that_only_a_buffer_lets_pass_are_not_recommended(evidence, curve) -> None:
    whole = limited(evidence(curve(bursting)), 100.0, burst=16 * KIB)
    (free,) = best_size.find(evidence(curve(bursting)))
    assert free.evidence["best_size_bytes"] == 16 * KIB
    (found,) = best_size.find(whole)
    assert found.evidence["best_MBps"] <= 102
    assert found.evidence["plateau_from_bytes"] >= 256 * KIB


@pytest.mark.parametrize(
    ("sizes", "messages", "words"),
    [(("join",), True, "Join small messages"), (("join",), False, "Join small calls"),
     (("split", "pad"), True, None)],
)  # fmt: skip
def test_what_cannot_be_joined_is_not_told_to_join(evidence, curve, sizes, messages, words) -> None:
    whole = declared(evidence(curve(smooth)), sizes=sizes, messages=messages)
    assert [one.advice.startswith(words) for one in best_size.find(whole)] == [True] * bool(words)


def test_what_cannot_be_split_is_not_told_to_split(evidence, curve) -> None:
    def falling(size: int) -> float:
        return smooth(size) + max(0, size - 2**19) / 5e8

    (found,) = rate_falls.find(evidence(curve(falling)))
    assert "into pieces of 512 KiB" in found.advice
    (found,) = rate_falls.find(declared(evidence(curve(falling)), sizes=("join", "pad")))
    assert "pieces" not in found.advice


def test_rate_falls_stays_silent_of_what_a_buffer_let_pass(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    assert told(rate_falls, whole)
    assert not told(rate_falls, limited(whole, 100.0, burst=16 * KIB))


def test_the_end_of_a_buffer_is_no_way_of_sending(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    shaped = limited(whole, 100.0, burst=16 * KIB)
    (sweep,) = whole.sweeps
    assert list(halves(whole, sweep)) and not list(halves(shaped, sweep))
    assert not told(split_is_faster, shaped) and not told(protocol_switch, shaped)


def test_split_is_faster_stays_silent_of_what_cannot_be_split(evidence, curve) -> None:
    whole = evidence(curve(lambda size: smooth(size) + 6e-6 * (size == 65536)))
    assert told(split_is_faster, whole)
    assert not told(split_is_faster, declared(whole, sizes=("join", "pad")))


def test_larger_is_faster_stays_silent_of_what_cannot_be_padded(evidence, curve) -> None:
    whole = evidence(curve(lambda size: smooth(size) + 5e-5 * (2048 <= size < 8192)))
    assert told(larger_is_faster, whole)
    assert not told(larger_is_faster, declared(whole, sizes=("join", "split")))


def test_protocol_switch_stays_silent_of_what_is_not_sent(evidence, curve) -> None:
    whole = evidence(curve(stepped))
    assert told(protocol_switch, whole)
    assert not told(protocol_switch, declared(whole, messages=False))


def test_oscillation_stays_silent_of_what_is_not_sent(evidence, curve) -> None:
    whole = evidence(curve(swinging))
    assert told(oscillation, whole)
    assert not told(oscillation, declared(whole, messages=False))


def test_erratic_stays_silent_where_intervals_are_known(evidence, curve) -> None:
    def jumping(size: int) -> float:
        return smooth(size) * (1 + 3 * (size.bit_length() % 3 == 0))

    assert told(erratic, evidence(curve(jumping, ci95_low_s=None, ci95_high_s=None)))
    assert not told(erratic, evidence(curve(jumping)))
