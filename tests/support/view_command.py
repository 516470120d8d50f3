"""The command line of the views, and a batch system's programs that a test makes up."""

import os
import subprocess
import sys

import pytest

WORDS = (sys.executable, "-m", "leadline", "view")
# What tells leadline and Slurm's programs of a Slurm.
SLURM = ("SLURM_CONF", "SLURM_CONF_SERVER")


class View:
    """`leadline view` with programs of the test's own before all others."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = folder / "bin"
        self.programs.mkdir()
        clean = {name: value for name, value in os.environ.items() if name not in SLURM}
        path = f"{self.programs}:{os.environ['PATH']}"
        self.environment = {
            **clean, "PATH": path, "LEADLINE_HOME": str(folder), "LEADLINE_LAB": f"{folder}/lab",
        }  # fmt: skip

    def __call__(self, *words, status=0):
        done = subprocess.run(
            [*WORDS, *map(str, words)],
            env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
        assert done.returncode == status, done
        assert "Traceback" not in done.stderr
        return done

    def refused(self, *words):
        """Prove that bad input is one line and nothing else, and return it."""
        done = self(*words, status=2)
        (line,) = done.stderr.splitlines()
        assert (done.stdout, line[:10]) == ("", "leadline: ")
        return line

    def program(self, name, script):
        """Put a program of this name where leadline finds it first."""
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def answers(self, name, option, text, otherwise="exit 2"):
        """Let a program print `text` where `option` is among its words."""
        (self.folder / f"{name}-{option}").write_text(text)
        words = f'case " $* " in *" {option} "*) cat "{self.folder}/{name}-{option}";; '
        self.program(name, f"{words} *) {otherwise};; esac")


@pytest.fixture
def view(tmp_path):
    return View(tmp_path)
