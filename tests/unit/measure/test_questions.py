"""Questions: each shipped one is whole, and a wrong one is refused in a line."""

import fnmatch
import re

import msgspec
import pytest

from leadline.analysis.findings.kinds import kinds
from leadline.analysis.questions import read_question, shipped_questions
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.plan.plans import read_plan

PLAN = '[[entries]]\nbenchmarks = ["family/thing"]\n'


def test_there_are_questions():
    assert "one-sided" in shipped_questions()


@pytest.mark.parametrize("name", shipped_questions())
def test_a_shipped_question_is_whole(name):
    asked = read_question(name)
    assert asked.name == asked.plan.name == name
    assert asked.text.endswith("?")
    assert set(asked.answers) <= set(kinds())
    assert asked.plan.entries


@pytest.mark.parametrize("name", shipped_questions())
def test_a_shipped_question_measures_what_there_is(name):
    sources = (source_folder() / "probes" / "benchmarks").glob("*/*.cpp")
    declared = set(re.findall(r'\.name = "(\w+/\w+)"', "".join(s.read_text() for s in sources)))
    for entry in read_question(name).plan.entries:
        for benchmark in entry.benchmarks:
            assert fnmatch.filter(declared, benchmark)


def test_a_question_can_be_about_a_plan(tmp_path):
    asked, shipped = read_question("placement"), read_plan("placement")
    assert msgspec.structs.replace(asked.plan, name=shipped.name) == shipped
    path = tmp_path / "other.toml"
    path.write_text('question = "What?"\nanswers = ["knobs_compared"]\nplan = "none"\n')
    with pytest.raises(UserError, match="plan none cannot be read"):
        read_question(str(path))


def test_a_question_is_a_plan_with_two_lines_more(tmp_path):
    (tmp_path / "mine.toml").write_text(PLAN)
    (tmp_path / "asked.toml").write_text('question = "What?"\nanswers = ["best_size"]\n' + PLAN)
    asked = read_question(str(tmp_path / "asked.toml"))
    assert (asked.text, asked.answers) == ("What?", ("best_size",))
    plan = read_plan(str(tmp_path / "mine.toml"))
    assert msgspec.structs.replace(asked.plan, name="") == msgspec.structs.replace(plan, name="")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('answers = ["best_size"]\n' + PLAN, "asks nothing"),
        ('question = " "\nanswers = ["best_size"]\n' + PLAN, "asks nothing"),
        ('question = "What?"\n' + PLAN, "answers"),
        ('question = "What?"\nanswers = []\n' + PLAN, "answers"),
        ('question = "What?"\nanswers = ["wisdom"]\n' + PLAN, "answers"),
        ('question = "What?"\nanswers = "best_size"\n' + PLAN, "answers"),
        ('question = "What?"\nanswers = ["best_size"]\nlaunch = 3\n' + PLAN, "launch"),
        ("question = \n", "not TOML"),
    ],
)
def test_a_wrong_question_is_refused(tmp_path, text, told):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=told):
        read_question(str(path))


def test_an_unknown_question_names_those_that_there_are():
    with pytest.raises(UserError, match="one-sided"):
        read_question("nonesuch")
