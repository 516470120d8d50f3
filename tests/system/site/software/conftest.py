"""A made-up machine of scripts that answer as compilers and tools do."""

import os
from pathlib import Path

import pytest

from leadline.site.software.host import Host


class Machine:
    """Folders of scripts below `root`, and what a process sees that has them on its PATH."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def script(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def program(self, path: str, prints: str) -> Path:
        return self.script(path, f"cat <<'END'\n{prints}\nEND")

    def gcc(self, folder: str, version: str, suffix: str = "") -> None:
        for name in ("gcc", "g++"):
            self.program(f"{folder}/{name}{suffix}", f"{name} (Own 1-2) {version}")

    def link(self, path: str, target: str | Path) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def here(self, *folders: str, **variables: str) -> Host:
        path = ":".join(str(self.root / folder) for folder in folders)
        # The scripts need cat and sh, which come last and hold no compiler.
        return Host({"PATH": f"{path}:{self._tools()}", **variables}, self.root)

    def _tools(self) -> Path:
        folder = self.root / "tools"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("cat", "sh", "sleep", "env"):
            if not (folder / name).exists():
                (folder / name).symlink_to(f"/bin/{name}" if name != "env" else "/usr/bin/env")
        return folder


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine in a folder of its own, with a home of leadline's that is its own too."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    for name in ("LOADEDMODULES", "MODULEPATH", "CC", "CXX", "FC"):
        monkeypatch.delitem(os.environ, name, raising=False)
    return Machine(tmp_path / "machine")
