"""docs/reference/json.md names what is printed, and the page of objects has each one's fields."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from leadline.analysis.findings.conclude import SEVERITIES
from leadline.cli.show import ANSWER_FORMAT, answer, answered
from leadline.model.plan import Plan
from leadline.model.question import Question
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis, Finding, PointSummary
from leadline.output.server.application import Application


@pytest.fixture(scope="module")
def text(documents, root):
    return documents[root / "docs" / "reference" / "json.md"]


def _section(text, title):
    return re.search(rf"^#+ {re.escape(title)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)[1]


def _fields(text, title):
    return re.findall(r"^\| `(\w+)` \|", _section(text, title), re.MULTILINE)


@pytest.mark.parametrize("printed", [PointSummary, Finding, Outcome])
def test_an_object_has_its_fields_and_says_what_it_is(made, printed):
    assert _fields(made["objects.md"], printed.__name__) == list(printed.__struct_encode_fields__)
    assert printed.__doc__.splitlines()[0] in _section(made["objects.md"], printed.__name__)


def test_every_key_of_a_run_is_named(text):
    run = Run(run="r", leadline="1", plan=Plan(entries=()), started="", outcome=_OUTCOME)
    empty = Analysis(points=(), sweeps=())
    assert _fields(text, "A run") == list(answer(run, Path("r"), empty))


def test_every_key_of_an_answer_is_named(text):
    asked = Question(name="q", text="What?", answers=(), plan=Plan(entries=()))
    assert _fields(text, "An answer") == list(answered(asked, Analysis(points=(), sweeps=())))


def test_every_address_of_the_server_is_named(text, tmp_path):
    told = {
        address.rule.replace("<name>", "RUN").replace("<key>", "KEY").replace("<path:name>", "FILE")
        for address in Application(tmp_path, lambda *_: {}).addresses
        if address.rule[:4] == "/api"
    }
    named = re.findall(
        r"^\| `(/api[\w/]*)", _section(text, "What the server answers"), re.MULTILINE
    )
    assert set(named) == told


def test_the_format_is_the_one_that_is_printed(text):
    assert f"`format` is the version of the object of a run, now {ANSWER_FORMAT}." in text


def test_every_state_and_severity_is_named(made):
    outcome, finding = (_section(made["objects.md"], name) for name in ("Outcome", "Finding"))
    state = next(f for f in msgspec.structs.fields(Outcome) if f.name == "state")
    assert all(f"`{each}`" in outcome for each in get_args(state.type))
    assert all(each in finding for each in SEVERITIES)


_OUTCOME = Outcome(state="complete")
