"""Questions on the command line: the answer first, and everything else still there."""

import json

import pytest

from leadline.measure.launch.slots import available_cores

QUESTION = """
question = "At which size is the rate best?"
answers = ["best_size"]
launches = 2
seed = 1
mpi = ["fake"]
[stopping]
minimum = 50
maximum = 100
seconds = 5
[[entries]]
benchmarks = ["fake/transfer"]
axes = { bytes = "64,1K,16K,256K" }
[[entries]]
benchmarks = ["nowhere/thing", "nothing/*"]
axes = { colour = "red" }
optional = true
"""


@pytest.fixture
def question(tmp_path):
    path = tmp_path / "best.toml"
    path.write_text(QUESTION)
    return path


def test_the_answer_is_what_is_printed(leadline, question):
    result = leadline.in_runs("run", question)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "At which size is the rate best?"
    assert "256 KiB" in lines[1]
    assert any(line.startswith("Trust     ") for line in lines)
    (run,) = leadline.runs.iterdir()
    assert lines[-1].strip() == f"leadline show {run.name} --full"
    assert "95 % interval" not in result.stdout
    for name in ("nowhere/thing", "nothing/*"):
        assert f"{name} is left out: no probe here has it" in result.stderr


def test_json_is_a_run_with_its_answers(leadline, question):
    result = leadline.in_runs("run", question, "--json")
    answer = json.loads(result.stdout)
    assert answer["question"] == "At which size is the rate best?"
    kinds = [answer["findings"][index]["kind"] for index in answer["answers"]]
    assert kinds == ["best_size"]
    shown = leadline.json("show", "last", "--runs", leadline.runs)
    assert shown == {
        name: value for name, value in answer.items() if name not in ("question", "answers")
    }


def test_no_answer_is_said(leadline, question):
    question.write_text(QUESTION.replace("best_size", "overlap"))
    result = leadline.in_runs("run", question)
    assert result.returncode == 0
    assert "This run gives no answer: " in result.stdout
    assert json.loads(leadline.in_runs("run", question, "--json").stdout)["answers"] == []


def test_problems_are_told_with_the_answer(leadline, question):
    question.write_text(
        QUESTION.replace('256K" }', '256K", fault = "wrong_data", fault_after = 10 }')
    )
    result = leadline.in_runs("run", question)
    assert result.returncode == 1
    assert "\n!! " in result.stdout


def test_the_questions_are_listed(leadline):
    result = leadline("run", "--list", "questions")
    assert result.returncode == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["one-sided"].endswith("?")
    listed = json.loads(leadline("run", "--list", "questions", "--json").stdout)["questions"]
    assert [(each["name"], each["question"]) for each in listed] == list(lines.items())


def test_bad_questions_are_refused(leadline, question, tmp_path):
    assert "one-sided" in leadline.refused("run", "nonesuch")
    assert "cannot be read" in leadline.refused("run", tmp_path / "none.toml")
    assert "placement" in leadline.refused("run", question, "--place", "two")
    text = QUESTION.replace("fake/transfer", "nowhere/other")
    question.write_text(
        text.replace("[[entries]]\nbench", "[[entries]]\noptional = true\nbench", 1)
    )
    assert "and the plan has nothing else" in leadline.refused(
        "run", question, "--runs", leadline.runs
    )


@pytest.mark.mpi
@pytest.mark.skipif(available_cores() < 2, reason="this machine has one core")
def test_one_sided_or_two_sided(leadline, mpich):
    brief = ("--launches", "2", "--seconds", "0.01", "--maximum", "30", "--mpi", mpich["name"])
    result = leadline.in_runs("run", "one-sided", *brief, "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert "shmem/put is left out: no probe here has it" in result.stderr
    (index,) = answer["answers"]
    found = answer["findings"][index]
    assert found["kind"] == "one_sided"
    words = ("faster", "slower", "unclear", "disturbed")
    assert sum(found["evidence"][f"sizes_{word}"] for word in words) == 7
    used = [answer["points"][point] for point in found["points"]]
    assert {point["series"] for point in used} <= {"one-way", "target"}
    assert all(point["verified"] for point in answer["points"])
