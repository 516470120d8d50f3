"""What `benchmarks/faults` makes of what was found: which faults are cured, which alarms false."""

import pytest
from comparison.checked import Launch, by_kind
from comparison.fault_table import FAULTS, Outcome
from comparison.faults import Sound, is_good, line_of, lines
from comparison.healthy import Healthy

from leadline.core.plugins import modules_of

CURED = Outcome("a tracer", "traced", "mpich-5", ("traced",), (), "mpiexec ./a")
LEFT = CURED._replace(mpi="openmpi-5", left=("traced",))
UNSEEN = CURED._replace(mpi="openmpi-4", named=("low_priority",), left=("low_priority",), fix="")
SKIPPED = CURED._replace(mpi="mpich-4", named=(), fix="", skipped="no strace here")
SOUND = Sound("C, 2 ranks", "mpich-5", (), (), 1.0)


def test_a_fault_is_cured_when_it_was_named_and_is_gone():
    assert (CURED.is_named, CURED.is_cured) == (True, True)
    assert (LEFT.is_named, LEFT.is_cured) == (True, False)
    assert (UNSEEN.is_named, UNSEEN.is_cured) == (False, False)


@pytest.mark.parametrize(("outcomes", "sound", "good"), [
    ([CURED, SKIPPED], [SOUND], True),
    ([CURED, LEFT], [], False),
    ([CURED, UNSEEN], [], False),
    ([CURED], [SOUND._replace(alarms=("traced",))], False),
    ([CURED], [SOUND._replace(true=("other_programs",))], True),
])  # fmt: skip
def test_all_is_good_where_all_is_cured_and_nothing_else_is_said(outcomes, sound, good):
    assert is_good(outcomes, sound) is good


def test_the_table_has_each_mpi_and_counts_what_could_be_provoked():
    said = list(lines([CURED, LEFT, UNSEEN, SKIPPED], [SOUND, SOUND._replace(alarms=("traced",))]))
    assert said[0] == "| fault | mpich-5 | openmpi-5 | openmpi-4 | mpich-4 |"
    assert said[2] == "| a tracer | cured | named | no | - |"
    assert said[3] == "| named and cured | 1 of 1 | 0 of 1 | 0 of 1 | 0 of 0 |"
    assert "2 launches without a fault: 1 false alarms" in said


def test_a_line_says_what_went_wrong():
    assert line_of(CURED).endswith("traced, cured")
    assert "NOT CURED by mpiexec ./a: traced" in line_of(LEFT)
    assert "NOT NAMED traced: low_priority" in line_of(UNSEEN)
    assert "not provoked: no strace here" in line_of(SKIPPED)


def test_other_programs_are_no_fault_of_a_launch():
    said = {"findings": [{"kind": "other_programs"}, {"kind": "traced"}]}
    assert set(by_kind(said)) == {"traced"}


def test_more_ranks_than_cores_are_no_false_alarm():
    crowded = Healthy("4 ranks", "mpich-5", Launch(()), frozenset({"oversubscribed"}))
    assert crowded.alarms(("oversubscribed", "traced")) == ("traced",)


def test_at_least_twenty_faults_are_provoked_and_each_has_a_rule():
    rules = {name.rpartition(".")[2] for name in modules_of("leadline.check.faults")}
    assert {fault.kind for fault in FAULTS} <= rules
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20
