"""`tools/test`: what it runs of which tier, and its closing summary."""

from collections.abc import Callable
from typing import Any

import pytest

DONE, BROKEN = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"
TELL = '#!/bin/sh\necho "${0##*/} $*"\n'


@pytest.fixture
def machine(make_machine: Callable[..., Any]) -> Any:
    made = make_machine(("test",), ("sh", "dirname", "grep", "mkdir", "getconf"))
    for tier in ("system", "full"):
        (made.checkout / "tests" / tier).mkdir(parents=True)
        (made.checkout / "tests" / tier / "test_time.py").write_text("@pytest.mark.timing\n")
    for program in ("cmake", "ctest", "python"):
        made.has(program, TELL, made.checkout / ".venv/bin")
    for tool in ("tidy", "odr", "test-builds"):
        made.has(tool, TELL, made.checkout / "tools")
    made.has("test-wheels", "#!/bin/sh\necho /a:/b\n", made.checkout / "tools")
    return made.has("test-packages", DONE, made.checkout / "tools")


def calls(answer: Any, program: str) -> list[str]:
    return [line for line in answer.stdout.splitlines() if line.startswith(f"{program} ")]


def test_all_passed(machine: Any) -> None:
    answer = machine.run("test")
    assert answer.returncode == 0
    steps = ("test-builds", "== C++ tests", "== Python tests")
    places = [answer.stdout.index(step) for step in steps]
    assert places == sorted(places)
    assert "have passed" in answer.stdout


def test_the_quick_ones_compile_nothing(machine: Any) -> None:
    answer = machine.run("test", "check")
    (python,) = calls(answer, "python")
    assert python.endswith(" tests/unit")
    for program in ("cmake", "ctest", "test-builds"):
        assert not calls(answer, program)


def test_two_tiers_are_everything(machine: Any) -> None:
    first, second = machine.run("test", "test"), machine.run("test", "rest")
    both = machine.run("test", "all")
    for program in ("python", "ctest"):
        assert calls(first, program) + calls(second, program) == calls(both, program)
    assert not calls(first, "tidy") and not calls(first, "odr")
    assert calls(second, "tidy") and calls(second, "odr")
    (one_mpi,), (further,) = calls(first, "ctest"), calls(second, "ctest")
    assert "--label-regex ^(unit|test)$" in one_mpi
    assert "--label-exclude ^(unit|test)$" in further
    for run, markers, folders in (
        (first, "not full", "tests/unit tests/system"),
        (second, "full", "tests/system tests/full"),
    ):
        parallel, by_the_clock = calls(run, "python")
        assert f"-m {markers} and not timing {folders}" in parallel
        assert f"-m {markers} and timing tests/" in by_the_clock
        assert "--numprocesses" in parallel and "--numprocesses" not in by_the_clock


def test_no_other_tier(machine: Any) -> None:
    answer = machine.run("test", "everything")
    assert answer.returncode == 2
    assert "check, test, rest or all" in answer.stderr


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("cmake", "C++ tests, further C++ tests"),
        ("ctest", "C++ tests, further C++ tests"),
        (
            "python",
            "Python tests, Python tests by the clock, "
            "further Python tests, further Python tests by the clock",
        ),
    ],
)
def test_a_failure_does_not_stop_the_rest(machine: Any, program: str, name: str) -> None:
    answer = machine.has(program, BROKEN, machine.checkout / ".venv/bin").run("test")
    assert answer.returncode == 1
    assert "== Python tests" in answer.stdout
    assert answer.stdout.splitlines()[-1] == f"FAILED: {name}"


def test_what_fails_beside_others_is_run_again_alone(machine: Any) -> None:
    beside = '#!/bin/sh\necho "python $*"\ncase "$*" in *--numprocesses*) exit 1 ;; esac\n'
    answer = machine.has("python", beside, machine.checkout / ".venv/bin").run("test", "check")
    together, alone = calls(answer, "python")
    assert "--last-failed " in alone and "--numprocesses" not in alone
    # The same tests, and the memory of what failed.
    for option in ("tests/unit", "cache_dir=build/tests/check"):
        assert option in together and option in alone
    assert answer.returncode == 0
    assert "failed beside other tests and passed alone" in answer.stdout.splitlines()[-2]


def test_what_fails_again_alone_or_cannot_run_is_a_failure(machine: Any) -> None:
    for status, times in ((1, 2), (2, 1), (3, 1)):
        broken = f'#!/bin/sh\necho "python $*"\nexit {status}\n'
        answer = machine.has("python", broken, machine.checkout / ".venv/bin").run("test", "check")
        assert answer.returncode == 1
        assert len(calls(answer, "python")) == times


@pytest.mark.parametrize(
    ("tool", "name"), [("tidy", "clang-tidy"), ("odr", "definitions of one name")]
)
def test_what_a_tool_found_is_a_failure(machine: Any, tool: str, name: str) -> None:
    answer = machine.has(tool, BROKEN, machine.checkout / "tools").run("test")
    assert answer.returncode == 1
    assert answer.stdout.splitlines()[-1] == f"FAILED: {name}"


def test_python_tests_learn_where_the_wheels_are(machine: Any) -> None:
    told = '#!/bin/sh\necho "told $LEADLINE_TEST_MPI_PREFIXES"\n'
    machine.has("python", told, machine.checkout / ".venv/bin")
    assert "told /a:/b" in machine.run("test").stdout


def test_what_is_skipped_is_said_at_the_end(machine: Any) -> None:
    line = "skipped: the C++ tests, without doctest-dev"
    machine.has("test-packages", f"#!/bin/sh\necho '{line}'\n", machine.checkout / "tools")
    answer = machine.run("test")
    assert answer.returncode == 0
    assert line in answer.stdout.splitlines()[-2]
    assert "== C++ tests" not in answer.stdout
