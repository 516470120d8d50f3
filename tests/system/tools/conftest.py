"""A PATH that holds only what a test puts there."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import CHECKOUT


class Machine:
    """A checkout with its own PATH, in which scripts from tools/ are run."""

    def __init__(self, folder: Path, scripts: tuple[str, ...], programs: tuple[str, ...]) -> None:
        self.checkout, self.bin = folder / "checkout", folder / "bin"
        (self.checkout / "tools").mkdir(parents=True)
        self.bin.mkdir()
        for script in scripts:
            shutil.copy(CHECKOUT / "tools" / script, self.checkout / "tools" / script)
        for program in programs:
            found = shutil.which(program)
            assert found, program
            (self.bin / program).symlink_to(found)

    def has(self, name: str, script: str, folder: Path | None = None) -> "Machine":
        """Put a script on PATH, or into another folder."""
        target = (folder or self.bin) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script)
        target.chmod(0o755)
        return self

    def lacks(self, name: str) -> "Machine":
        """Take a program from PATH."""
        (self.bin / name).unlink()
        return self

    def run(
        self, script: str, *arguments: str, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of tools/ with nothing but these variables."""
        return subprocess.run(
            [str(self.checkout / "tools" / script), *arguments],
            env={"PATH": str(self.bin), **variables},
            capture_output=True,
            text=True,
        )


@pytest.fixture
def make_machine(tmp_path: Path) -> Callable[..., Machine]:
    """Return a function from scripts of tools/ and programs to a machine that has just these."""
    return lambda scripts, programs: Machine(tmp_path, scripts, programs)
