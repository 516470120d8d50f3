"""Messages of datatypes with gaps, packed by leadline on both sides, on one, or where that is
faster: what arrives is what the library delivers.
"""

import json
from collections import Counter

import pytest

ALL = {"LEADLINE_PROFILE": "", "LEADLINE_PACK": "1"}
LEARN = {"LEADLINE_LEARN": "1", "LEADLINE_PACK": "learn"}


def succeeds(run):
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "0 wrong\n"
    assert run.stderr == ""


def calls(start, scenario, tmp_path, **settings):
    file = tmp_path / "report.json"
    succeeds(start(f"gaps {scenario}", 2, LEADLINE_REPORT=str(file), **settings))
    counted = Counter()
    for row in json.loads(file.read_text())["calls"]:
        # How the program sums up at its end is no message.
        if row["function"] == "allreduce":
            continue
        counted[row["function"], row["algorithm"], row["reason"]] += row["calls"]
    return counted


@pytest.mark.parametrize("scenario", ["messages", "exchanges", "faults", "lives"])
def test_packed_messages_arrive_as_the_librarys_do(start, scenario):
    succeeds(start(f"gaps {scenario}", 2, **ALL))


@pytest.mark.parametrize("alone", [0, 1])
@pytest.mark.parametrize("scenario", ["messages", "exchanges"])
def test_one_rank_may_pack_and_the_other_not(start, scenario, alone):
    only = (alone, {"LEADLINE_PACK": "1"})
    succeeds(start(f"gaps {scenario}", 2, only=only, LEADLINE_PROFILE="", LEADLINE_PACK="0"))


@pytest.mark.parametrize("scenario", ["messages", "exchanges", "lives", "learning"])
def test_messages_are_right_while_it_is_learnt_what_to_pack(start, scenario):
    succeeds(start(f"gaps {scenario}", 2, LEADLINE_PROFILE="", **LEARN))


def test_the_report_counts_what_was_packed(start, tmp_path):
    counted = calls(start, "messages", tmp_path, **ALL)
    packed = {name: number for (name, how, _), number in counted.items() if how == "packed"}
    # 17 datatypes are packed, of which 5 counts are not 0, each to two receives, by two receivers;
    # and addresses, twice. Ready sends are received by MPI_Irecv.
    assert packed["ssend"] == packed["rsend"] == 17 * 5 * 2 * 2
    assert packed["send"] == 17 * 5 * 2 * 2 + 2
    assert packed["recv"] >= 17 * 5 * 2 * 3
    left = {reason for (_, how, reason) in counted if how is None}
    assert left == {"no data"}


@pytest.mark.parametrize(
    "settings", [{"LEADLINE_LEARN": "0", "LEADLINE_PACK": "learn"}, {"LEADLINE_LEARN": "1"}, {}]
)
def test_nothing_is_packed_unless_programs_learn_and_are_told_to(start, tmp_path, settings):
    counted = calls(start, "exchanges", tmp_path, LEADLINE_PROFILE="", **settings)
    assert {name for name, _, _ in counted if "send" in name} == set()


def test_what_is_packed_is_decided_on_the_programs_own_data(start, tmp_path):
    counted = calls(start, "learning", tmp_path, LEADLINE_PROFILE="", **LEARN)
    decided = {
        (name, reason) for name, how, reason in counted if how == "packed" or reason != "undecided"
    }
    assert {name for name, _ in decided} == {"send", "recv"}
