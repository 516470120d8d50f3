"""What is said before measuring, and when somebody is asked."""

from types import SimpleNamespace

import pytest

from leadline.cli import preflight
from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.progress import Silent
from leadline.site.interference.preflight import OtherProgram

COMPILER = OtherProgram("cc1plus", 4111, "anna", 0.99)
PLAN = Plan(entries=())
TWO = (Placement(1, 2),)


class Lines(Silent):
    def __init__(self):
        self.said = []

    def doing(self, text):
        self.said.append(text)

    def warn(self, text):
        self.said.append(f"warning: {text}")


@pytest.fixture
def check(monkeypatch):
    def run(programs, answer, plan=PLAN, *, cores=2, anyway=False):
        asked = []
        monkeypatch.setattr(preflight.BusyLook, "end", lambda *_: programs)
        monkeypatch.setattr(preflight, "own_cores", lambda: range(cores))
        monkeypatch.setattr(preflight, "_confirm", lambda: asked.append(1) or answer)
        lines = Lines()
        try:
            preflight.check_machine(plan, TWO, lines, anyway=anyway)
        except UserError as error:
            lines.said.append(str(error))
        return lines.said, len(asked)

    return run


def test_a_quiet_machine_is_one_line(check):
    assert check([], answer=False) == (["machine quiet"], 0)


def test_a_busy_machine_names_who_is_busy_and_goes_on(check):
    line = "machine busy: cc1plus (pid 4111, anna) uses 99 % of a core"
    assert check([COMPILER], answer=False) == ([line], 0)


def test_a_hopeless_machine_asks_unless_told_to_measure_anyway(check):
    two = [COMPILER, COMPILER._replace(pid=4112)]
    said, asked = check(two, answer=False)
    assert asked == 1 and said[0].startswith("warning: machine busy: ")
    assert said[-1] == "nothing is measured: end these programs, or add --anyway"
    assert check([COMPILER], answer=False, cores=1)[0][-1].startswith(
        "nothing is measured: end that program,"
    )
    assert check(two, answer=True)[1] == 1
    assert len(check(two, answer=True)[0]) == 1
    assert check(two, answer=False, anyway=True)[1] == 0
    # Four cores more are left than two ranks need.
    assert check(two, answer=False, cores=6)[1] == 0


@pytest.mark.parametrize(
    "plan", [Plan(entries=(), hosts=("a", "b")), Plan(entries=(), batch="slurm")]
)
def test_nothing_is_said_of_this_machine_where_another_measures(check, plan):
    assert check([COMPILER] * 2, answer=False, plan=plan) == ([], 0)


def test_without_a_terminal_nobody_is_asked():
    def ask(*_, **__):
        raise AssertionError

    assert preflight._confirm(ask)


def test_no_more_than_three_programs_are_named():
    line = preflight.busy_line([COMPILER._replace(pid=pid) for pid in range(5)])
    assert line.count("pid") == 3 and line.endswith(", and 2 more")


@pytest.mark.parametrize(("stale_s", "looks"), [(60.0, 1), (0.0, 2)])
def test_what_was_seen_before_a_build_is_looked_at_again(monkeypatch, stale_s, looks):
    made = []
    monkeypatch.setattr(preflight, "BusyLook", lambda: made.append(1))
    monkeypatch.setattr(preflight, "_STALE_S", stale_s)
    look = preflight.Look()
    look.check_prepared(SimpleNamespace(plan=PLAN, launches=[]), Lines(), anyway=True)
    assert len(made) == looks and look.results() == []
