"""What profilers cost: the table, from launches whose times are known."""

import pytest
from comparison.__main__ import main
from comparison.profilers import Launch, lines


def launches(rounds, **added):
    """Launches in which a call takes 100 ns plain and more under each profiler, by round."""
    for number in range(rounds):
        yield Launch(number, "plain", {"send": 1e-7 * (1 + number)})
        for profiler, seconds in added.items():
            yield Launch(number, profiler, {"send": 1e-7 * (1 + number) + seconds})


def test_what_a_profiler_adds_is_taken_round_by_round():
    [line] = lines(launches(9, explain=5e-8, other=2e-6))
    assert line == (
        "send: plain 500 ns; explain +10.0%, 50 ns (50 ns to 50 ns); "
        "other +400.0%, 2000 ns (2000 ns to 2000 ns)"
    )


def test_few_rounds_have_no_interval():
    [line] = lines(launches(2, explain=5e-8))
    assert line.endswith("50 ns")


def test_a_round_that_was_interrupted_does_not_count():
    whole = list(launches(3, explain=5e-8))
    assert list(lines([*whole, Launch(3, "plain", {"send": 1.0})])) == list(lines(whole))
    assert list(lines([Launch(0, "plain", {"send": 1.0})])) == []


def test_programs_and_words_exclude_each_other(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["run", "profilers", "--programs", "app-fem2d", "--", "./mine"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = "profilers: --programs app-fem2d and './mine': name one or the other\n"
    assert capsys.readouterr().err == said
