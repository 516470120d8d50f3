"""Words that findings share."""

import pytest
from example_platform import machine

from leadline.analysis.findings import words
from leadline.analysis.findings.words import command, measuring, name_of, sizes_text
from leadline.core.units import count, number, percent
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run


def test_a_name_tells_only_what_differs_in_the_run(evidence, figure) -> None:
    alone = evidence([figure()])
    assert name_of(alone, 0) == "family/thing, 8 B"
    pair = evidence([figure(), figure(way="clever", series="other")])
    assert name_of(pair, 1) == "family/thing (other, clever), 8 B"
    assert name_of(pair, 1, without=["way", "bytes", "mpi"]) == "family/thing (other)"
    assert name_of(pair, 1, without=["series", "bytes"]) == "family/thing (clever)"


def test_a_command_measures_the_same_points_again(evidence, curve, figure) -> None:
    whole = evidence([*curve(lambda size: 1e-6 + size), figure(way="clever", mpi="a b")])
    everything = command(whole, range(23), launches=10)
    assert everything == (
        "leadline run family/thing --place 1x2 --mpi first --bytes 1:4194304:x2 --way plain "
        "--launches 10"
    )
    assert command(whole, [23]) == (
        "leadline run family/thing --place 1x2 --mpi 'a b' --bytes 8 --way clever"
    )
    assert "--bytes 1:9:1" in command(whole, [0], bytes="1:9:1")


def test_a_command_repeats_what_the_run_needed_to_start(evidence, figure) -> None:
    whole = evidence([figure(oversubscribed=True)], plan={"hosts": ("one", "two")})
    assert command(whole, [0], seconds=2).endswith("--hosts one,two --seconds 2 --oversubscribe")


def test_ranges_in_commands_mean_the_same_sizes() -> None:
    from leadline.core.units import expand_values

    for sizes in ([0, 8, 16, 32, 64], [1, 2, 4, 8], [1, 2, 3, 4], [7], [0, 1, 2]):
        assert expand_values(words.values_text([str(size) for size in sizes])) == sizes


@pytest.mark.parametrize(
    ("chosen", "text"),
    [([1, 2, 4, 8], "1 B to 8 B"), ([1, 4], "1 B and 4 B"), ([], ""), ([8], "8 B")],
)
def test_sizes_text(chosen: list[int], text: str) -> None:
    assert sizes_text([8, 4, 2, 1], chosen) == text


def test_numbers() -> None:
    assert [number(x) for x in (0.1234, 9.999, 123456.0)] == ["0.123", "10.0", "123000"]
    assert [percent(x) for x in (0.034, 0.5, 0.999, 12.0)] == ["3.4 %", "50 %", "100 %", "1200 %"]
    assert [count(1, "launch"), count(2, "launch"), count(0, "point")] == [
        "1 launch",
        "2 launches",
        "0 points",
    ]


def test_what_is_missing_is_simulated_again_on_the_same_machine() -> None:
    plan = Plan(entries=(), platform="chic", changes=("nodes=8", "network.bandwidth=x2"))
    run = Run(
        run="r", leadline="1", plan=plan, started="", outcome=Outcome(state="complete"),
        platform=machine({"kind": "crossbar"}, 8),
    )  # fmt: skip
    assert measuring(run, "mpi/halo") == (
        "leadline simulate mpi/halo --on chic --change nodes=8,network.bandwidth=x2"
    )
