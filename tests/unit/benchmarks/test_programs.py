"""The standing table of real programs: its arithmetic, sides and words, without any program."""

import pytest
from comparison.__main__ import main
from comparison.program_table import Collectives, Launch, collectives_of, lines, rows, why
from comparison.real_programs import order, variables

MOST = Collectives(share=0.4, served=0.9, left={"learning": 0.1})


def launches(gains, rounds=6):
    """Rounds whose machine is ever slower; gains within a round are those given, by side."""
    for number in range(rounds):
        slow = 2.0 * (1 + number)
        yield Launch("m", "p", "library", number, slow)
        for side, gain in gains.items():
            # A little of chance, which is the same on both sides in the middle.
            yield Launch("m", "p", side, number, slow / gain * (1 + 0.001 * (number % 3 - 1)))


def row(gains, collectives=MOST):
    return rows(list(launches(gains)), {("m", "p"): collectives})[0]


def test_gains_are_of_the_same_round():
    found = row({"untuned": 1.25, "learnt": 2.0})
    assert found.library_s == pytest.approx(7.0)
    assert found.gains["untuned"].ratio == pytest.approx(1.25, rel=0.01)
    assert found.gains["learnt"].low == pytest.approx(2.0, rel=0.01)
    assert "tuned" not in found.gains
    assert why(found) == ""


def test_an_interrupted_round_does_not_count():
    some = [
        each for each in launches({"untuned": 1.25}) if each.round < 2 or each.side != "untuned"
    ]
    assert rows(some, {})[0].gains["untuned"].ratio == pytest.approx(1.25, rel=0.01)
    alone = [each for each in some if each.side == "library"]
    assert rows(alone, {})[0].gains == {}
    assert rows([], {}) == []


@pytest.mark.parametrize(
    ("collectives", "said"),
    [
        (Collectives(0.003, 0.0, {"learning": 1.0}), "0.3% of the time in collectives"),
        (
            Collectives(0.2, 0.1, {"several nodes": 0.9}),
            "several nodes: 90% of the collective time",
        ),
        (Collectives(0.2, 0.0, {"one process": 1.0}), "one process: 100% of the collective time"),
        (Collectives(0.04, 0.9, {"no data": 0.1}), "4.0% of the time in collectives: at most 1.04"),
        (MOST, "not certain: take more --rounds"),
        (None, "the runtime wrote no report"),
    ],
)
def test_where_nothing_is_gained_the_table_says_why(collectives, said):
    found = row({"untuned": 1.0}, collectives)
    assert why(found) == said
    assert lines([found])[-1].endswith(said)


def test_what_is_slower_is_named():
    assert why(row({"untuned": 0.8, "learnt": 1.0})).startswith("slower: untuned; ")


def report(calls, seconds=10.0):
    return {"ranks": 2, "seconds": seconds, "calls": calls}


def call(seconds, algorithm=None, reason=None):
    return {"seconds": seconds, "algorithm": algorithm, "reason": reason}


def test_the_share_is_of_the_library_and_the_reasons_are_of_the_untuned_launch():
    library = report([call(3.0, reason="no profile"), call(1.0, reason="one process")])
    untuned = report(
        [
            call(1.0, "shared (learnt)"),
            call(0.25, reason="one process"),
            call(0.75, reason="no data"),
        ]
    )
    found = collectives_of(library, untuned)
    assert found.share == pytest.approx(0.2)
    assert found.most == pytest.approx(1.25)
    assert found.served == pytest.approx(0.5)
    assert found.left == {"no data": 0.375, "one process": 0.125}
    assert list(found.left) == ["no data", "one process"]


def test_a_program_without_collectives_has_none():
    found = collectives_of(report([]), report([]))
    assert (found.share, found.served, found.left) == (0.0, 0.0, {})
    assert collectives_of(report([], seconds=0.0), report([])) is None


def test_learnt_follows_untuned_in_every_round():
    for number in range(4):
        for tuned in (True, False):
            sides = order(number, tuned)
            assert sides.index("learnt") == sides.index("untuned") + 1
            assert ("tuned" in sides) is tuned
    assert order(0, True)[0] == order(1, True)[-1] == "library"


def test_a_side_is_its_variables(tmp_path):
    profile = tmp_path / "m.toml"
    assert variables("library", tmp_path, profile) == {}
    untuned = variables("untuned", tmp_path, profile)
    assert untuned["LEADLINE_LEARN"] == str(tmp_path)
    assert untuned["LEADLINE_PROFILE"] == ""
    assert "LEADLINE_LEARNT" not in untuned
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).touch()
    learnt = variables("learnt", tmp_path, profile)
    assert learnt == untuned | {"LEADLINE_LEARNT": str(tmp_path / "b.toml")}
    tuned = variables("tuned", tmp_path, profile)
    assert (tuned["LEADLINE_PROFILE"], tuned["LEADLINE_LEARN"]) == (str(profile), "0")


def test_bad_input_is_one_line_and_status_2(monkeypatch, capsys):
    for words in (["--rounds", "1"], ["--programs", "nothing"], ["--colour"]):
        monkeypatch.setattr("sys.argv", ["run", "programs", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert said.startswith("programs: ") and said.count("\n") == 1
