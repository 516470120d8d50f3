"""The file of `leadline pack`, without network: tiny wheel in place of leadline's, and pip's."""

import ensurepip
import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from leadline import __version__
from leadline.exchange.pack import archive

INFO = f"leadline-{__version__}.dist-info"
WHEEL = {
    "leadline.py": "def start():\n    print('measures')\n",
    f"{INFO}/METADATA": f"Metadata-Version: 2.1\nName: leadline\nVersion: {__version__}\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[console_scripts]\nleadline = leadline:start\n",
}
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def packed(tmp_path):
    """Return what writes the packed file for some versions of Python."""
    bundled = list((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    bundled += list(Path("/usr/share/python-wheels").glob("pip-*.whl"))
    if not bundled:
        pytest.skip("this Python has no wheel of pip")
    wheel = tmp_path / f"leadline-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        for name, text in WHEEL.items():
            made.writestr(name, text)
        made.writestr(f"{INFO}/RECORD", "".join(f"{name},,\n" for name in WHEEL))

    def write(*pythons):
        file = tmp_path / "leadline.sh"
        archive.write(file, [wheel, bundled[0]], pythons, [])
        return file

    return write


def run(*words, **more):
    environment = {**os.environ, "PYTHON": sys.executable, "PIP_INDEX_URL": "nowhere", **more}
    command = ["sh", *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_it_makes_an_environment_once_and_again(packed, tmp_path):
    file, folder = packed("3.1", PYTHON), tmp_path / "new/folder"
    for _ in range(2):
        ended = run(file, folder)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert ended.stdout.startswith(f"leadline is in {folder}")
    assert subprocess.check_output([folder / "bin/leadline"], text=True) == "measures\n"
    assert {each.name for each in folder.iterdir()} <= {"bin", "include", "lib", "lib64",
                                                        "pyvenv.cfg"}  # fmt: skip


def test_what_it_cannot_do_is_one_line(packed, tmp_path, monkeypatch):
    there = tmp_path / "there"
    there.mkdir()
    (there / "thesis.tex").touch()
    said = run(packed(PYTHON), there)
    assert (said.returncode, said.stderr) == (
        1, f"leadline: {there} holds something else: name another folder\n"
    )  # fmt: skip
    said = run(packed("3.1"), tmp_path / "new")
    assert said.returncode == 2 and said.stderr.count("\n") == 1
    assert "no Python 3.1 here: dnf install python3.1 (RHEL)" in said.stderr
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    said = run(packed(PYTHON), tmp_path / "new")
    assert said.returncode == 2 and "is for vax\n" in said.stderr
