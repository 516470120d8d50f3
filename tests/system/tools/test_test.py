"""`tools/test`: what it runs, and its closing summary."""

from collections.abc import Callable
from typing import Any

import pytest

DONE, BROKEN = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"


@pytest.fixture
def machine(make_machine: Callable[..., Any]) -> Any:
    made = make_machine(("test",), ("sh", "dirname"))
    for program in ("cmake", "ctest", "python"):
        made.has(program, DONE, made.checkout / ".venv/bin")
    made.has("test-wheels", "#!/bin/sh\necho /a:/b\n", made.checkout / "tools")
    return made.has("test-packages", DONE, made.checkout / "tools")


def test_all_passed(machine: Any) -> None:
    answer = machine.run("test")
    assert answer.returncode == 0
    assert answer.stdout.index("== C++ tests") < answer.stdout.index("== Python tests")
    assert "have passed" in answer.stdout


@pytest.mark.parametrize(
    ("program", "name"),
    [("cmake", "C++ tests"), ("ctest", "C++ tests"), ("python", "Python tests")],
)
def test_a_failure_does_not_stop_the_rest(machine: Any, program: str, name: str) -> None:
    answer = machine.has(program, BROKEN, machine.checkout / ".venv/bin").run("test")
    assert answer.returncode == 1
    assert "== Python tests" in answer.stdout
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
