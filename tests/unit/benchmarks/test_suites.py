"""Counts of other projects' tests: what a test's end means, and what the table says."""

import pytest
from comparison.suite_launches import LIBRARY, Outcome, Suite, read
from comparison.suites import differences, differing, lines, ranks_of, ways_of

from leadline.core.errors import UserError

PASSED, FAILED = Outcome(True, "passed"), Outcome(False, "failed with status 1")


def test_a_test_passes_by_its_status_and_its_word():
    assert read(0, " No Errors\n", "No Errors").passed
    assert not read(0, " Found 3 errors\n", "No Errors").passed
    assert not read(1, " No Errors\n", "No Errors").passed


def test_a_failure_shows_the_last_line():
    assert read(6, "one\ntwo\n", "No Errors").how == "failed with status 6; two"


def test_counts_of_unittest_are_kept_without_seconds():
    output = "Ran 3 tests in 0.2s\n\nOK (skipped=1)\nRan 3 tests in 0.4s\nOK (skipped=1)\n"
    outcome = read(0, output, "")
    assert outcome.counts == ("2 x OK (skipped=1)", "2 x Ran 3 tests")
    assert not outcome.is_like(read(0, output.replace("skipped=1", "skipped=2"), ""))
    # Launchers put lines of two ranks together.
    run_on = "Ran 3 tests in 0.2s\n\nOKRan 3 tests in 0.4s\nOK\n"
    assert read(0, run_on, "").counts == ("2 x OK", "2 x Ran 3 tests")


def test_a_line_of_leadline_is_shown():
    assert read(0, "leadline: no room\n No Errors\n", "No Errors").how.endswith("no room")


def test_what_fails_without_leadline_may_fail_with_it():
    ended = {LIBRARY: FAILED, "shared": Outcome(False, "not ended after 60 s"), "explain": PASSED}
    assert differing(ended) == ["explain"]


def test_the_table_counts_by_folder_and_names_what_differs():
    found = {
        ("coll/a", 2, LIBRARY): PASSED,
        ("coll/a", 2, "shared"): PASSED,
        ("coll/b", 2, LIBRARY): PASSED,
        ("coll/b", 2, "shared"): FAILED,
        ("comm/c", 2, LIBRARY): FAILED,
        ("comm/c", 2, "shared"): FAILED,
    }
    table = lines(found)
    assert "| coll | 2 | 2 | 2 | 1 |" in table
    assert "| comm | 2 | 1 | 0 | 0 |" in table
    assert differences(found) == [
        "coll/b, 2 ranks, shared: failed with status 1; without leadline passed"
    ]
    assert lines(dict.fromkeys(found, PASSED))[-1] == "no test differs"


def test_tests_are_those_that_can_be_executed_or_started(tmp_path):
    for name in ("coll/one", "coll/notes", "comm/two"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
        file.chmod(0o644 if name.endswith("notes") else 0o755)
    suite = Suite(tmp_path, (), "", 1)
    assert suite.tests("*", ()) == ["coll/one", "comm/two"]
    assert suite.tests("*", ("comm",)) == ["comm/two"]
    assert "coll/notes" in Suite(tmp_path, ("python3",), "", 1).tests("*", ())


def test_unknown_ways_and_numbers_are_one_line():
    assert ways_of("explain,shared") == ("explain", "shared")
    assert ranks_of("2,8") == (2, 8)
    with pytest.raises(UserError, match=r"explan.*explain"):
        ways_of("explan")
    for wrong in ("", "2,x", "0"):
        with pytest.raises(UserError, match="--ranks"):
            ranks_of(wrong)
    with pytest.raises(UserError, match="at least one"):
        ways_of("")
