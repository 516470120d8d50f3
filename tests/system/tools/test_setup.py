"""`tools/setup` on made-up machines: a PATH that holds only what a test puts there."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

BASICS = (
    "sh",
    "dirname",
    "cksum",
    "sed",
    "mktemp",
    "rm",
    "date",
    "tr",
    "cat",
    "make",
    "mkdir",
    "cp",
    "chmod",
)
NO_ENSUREPIP = f"""#!/bin/sh
[ "$1" = -c ] || exec {sys.executable} "$@"
exec {sys.executable} -c "import sys; sys.modules['ensurepip'] = None
$2"
"""
COMPILER = '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; : >"$2"\n'
UV = '#!/bin/sh\necho "$0 $*" >>pip.log; exit $UV\n'
# Stands for the environment's own Python, too: it makes one, and its pip does as $PIP says. It
# brings a uv, which does as $UV says, where that is set.
PYTHON = f"""#!/bin/sh
case "$*" in
  "-m venv --clear .venv") rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  "-m pip --version") ;;
  "-m pip config list") echo "$CONFIGURED" ;;
  "-m pip install"*" uv") [ "$UV" ] || exit 1
    printf '%s' '{UV}' >.venv/bin/uv; chmod +x .venv/bin/uv ;;
  "-m pip install"*) echo "$*" >>pip.log; exit "${{PIP:-0}}" ;;
  *) exec {sys.executable} "$@" ;;
esac
"""


@pytest.fixture
def machine(make_machine: Callable[..., Any]) -> Any:
    made = make_machine(("setup", "uv_options.py"), BASICS)
    (made.checkout / "pyproject.toml").write_text("[project]\n")
    return made


def pip_calls(machine: Any) -> list[str]:
    log = machine.checkout / "pip.log"
    return log.read_text().splitlines() if log.exists() else []


OLD = "#!/bin/sh\nexit 0\n"
WITHOUT_CPP20 = "#!/bin/sh\nexit 1\n"
VENV = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


@pytest.mark.parametrize(("there", "words"), [
    ({"c++": COMPILER}, ("Python 3.11", "python3-venv")),
    ({"c++": COMPILER, "python3": OLD}, ("Python 3.11 or newer",)),
    # Debian's without the module.
    ({"c++": COMPILER, "python3": NO_ENSUREPIP}, ("the venv module", VENV)),
    ({"python3": PYTHON}, ("C++20 compiler", "gcc-c++")),
    ({"python3": PYTHON, "g++": WITHOUT_CPP20}, ("C++20 compiler",)),
    ({"c++": COMPILER, "python3": PYTHON, "make": ""}, ("missing: make",)),
])  # fmt: skip
def test_what_is_missing_is_one_line(
    machine: Any, there: dict[str, str], words: tuple[str, ...]
) -> None:
    for name, script in there.items():
        machine.has(name, script) if script else machine.lacks(name)
    answer = machine.run("setup")
    assert answer.returncode == 2
    (line,) = answer.stderr.splitlines()
    for word in ("missing: ", "Debian/Ubuntu: apt", "Fedora/RHEL: dnf", "Spack: spack", *words):
        assert word in line
    assert not (machine.checkout / ".venv").exists()


def test_a_whole_python_is_taken_where_another_lacks_venv(machine: Any) -> None:
    machine.has("python3.13", NO_ENSUREPIP).has("python3", PYTHON).has("c++", COMPILER)
    answer = machine.run("setup")
    assert answer.returncode == 0, answer.stderr
    assert "(python3)" in answer.stdout


def test_a_compiler_of_the_users_choice(machine: Any) -> None:
    machine.has("python3", PYTHON).has("my-c++", COMPILER)
    answer = machine.run("setup", CXX="my-c++")
    assert answer.returncode == 0, answer.stderr
    assert "C++20 compiler my-c++" in answer.stdout


def test_everything_missing_is_told_at_once(machine: Any) -> None:
    answer = machine.lacks("make").run("setup")
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 3


def test_it_installs_once_and_again_when_more_is_asked_for(machine: Any) -> None:
    machine.has("python3", PYTHON).has("c++", COMPILER)
    assert machine.run("setup").returncode == 0
    again = machine.run("setup")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert machine.run("setup", "test").returncode == 0
    assert machine.run("setup", "test").stdout == ""
    assert machine.run("setup").stdout == ""
    installed = [call.rpartition(" ")[2] for call in pip_calls(machine)]
    assert installed == [".[mpich,build,report]", ".[mpich,build,report,test]"]


def test_a_changed_project_is_installed_again(machine: Any) -> None:
    machine.has("python3", PYTHON).has("c++", COMPILER).run("setup")
    (machine.checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "creating" not in machine.run("setup").stdout
    assert len(pip_calls(machine)) == 2


def test_a_moved_checkout_gets_a_new_environment(machine: Any) -> None:
    machine.has("python3", PYTHON).has("c++", COMPILER).run("setup")
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("moved"))
    assert "creating .venv" in machine.run("setup").stdout


def test_a_failed_installation_is_tried_again(machine: Any) -> None:
    machine.has("python3", PYTHON).has("c++", COMPILER)
    failed = machine.run("setup", PIP="1")
    assert failed.returncode == 1
    assert "could not install leadline" in failed.stderr
    assert machine.run("setup").returncode == 0
    assert len(pip_calls(machine)) == 2


CONFIGURED = ":env:.index-url='https://example.org/simple'"


@pytest.mark.parametrize(("uv", "configured", "by"), [
    ("0", CONFIGURED, [".venv/bin/uv"]),
    # It cannot be had; it fails; pip is told what only pip can do.
    ("", CONFIGURED, ["-m"]),
    ("1", CONFIGURED, [".venv/bin/uv", "-m"]),
    ("0", "global.proxy='http://example.org:3128'", ["-m"]),
])  # fmt: skip
def test_uv_installs_as_pip_is_configured_and_else_pip_does(
    machine: Any, uv: str, configured: str, by: list[str]
) -> None:
    machine.has("python3", PYTHON).has("c++", COMPILER)
    answer = machine.run("setup", UV=uv, CONFIGURED=configured)
    assert answer.returncode == 0, answer.stderr
    calls = pip_calls(machine)
    assert [call.split()[0] for call in calls] == by
    assert all(call.endswith("--editable .[mpich,build,report]") for call in calls)
    assert ("--index-url https://example.org/simple" in calls[0]) == (by[0] == ".venv/bin/uv")
