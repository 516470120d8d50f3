"""Compilers that are scripts, and a folder of kernels for them."""

from pathlib import Path

import pytest

SCRIPT = r"""#!/bin/sh
echo "$@" >> "$0.log"
if [ "$1" = --version ]; then echo "VERSION"; exit; fi
case "$*" in
  *broken*) echo "broken.c:3:1: error: no such thing" >&2; exit 1 ;;
  *silent*) exit 0 ;;
esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
echo built > "$out"
"""


class Machine:
    """A PATH with nothing but scripts on it, and kernels beside."""

    def __init__(self, root: Path) -> None:
        self.path = root / "bin"
        self.kernels = root / "kernels"
        for folder in (self.path, self.kernels / "sum/ready"):
            folder.mkdir(parents=True)
        for tool in ("sh", "echo"):
            (self.path / tool).symlink_to(f"/bin/{tool}")

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": str(self.path)}

    def compiler(self, name: str, version: str) -> Path:
        program = self.path / name
        program.write_text(SCRIPT.replace("VERSION", version))
        program.chmod(0o755)
        return program

    def gcc(self) -> Path:
        self.compiler("g++", "g++ (Fake 1) 12.1.0")
        return self.compiler("gcc", "gcc (Fake 1) 12.1.0")

    def calls(self, name: str) -> list[str]:
        log = self.path / f"{name}.log"
        return log.read_text().splitlines() if log.exists() else []

    def source(self, name: str, text: str = "") -> Path:
        file = self.kernels / "sum" / name
        file.write_text(text)
        return file


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(made.path))
    return made
