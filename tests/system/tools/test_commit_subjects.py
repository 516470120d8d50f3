"""`tools/commit-subjects`: what git's hook lets pass."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools/commit-subjects"


def check(folder, message):
    file = folder / "MESSAGE"
    file.write_text(message)
    return subprocess.run(
        [sys.executable, TOOL, "--file", file], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "message",
    [
        "measure: prepare each launch once\n\nA body of any form.\n",
        "# a comment\nruntime, algorithms: take pieces of 64 KiB\n",
        "site/mpi: read versions from one place",
        "c++: give each part a namespace",
        "Merge branch 'main' into tiers",
        "fixup! measure: prepare each launch once",
    ],
)
def test_a_subject_that_is_right(message, tmp_path):
    answer = check(tmp_path, message)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("Prepare each launch once", "is not `area: verb object`"),
        ("measure: Prepare each launch once", "is not `area: verb object`"),
        ("measure: prepare", "is not `area: verb object`"),
        ("measure: prepare each launch once.", "is not `area: verb object`"),
        ("", "is not `area: verb object`"),
        ("measure: prepare " + "x" * 56, "has 73 characters: 72 are the most"),
    ],
)
def test_a_subject_that_is_wrong(message, what, tmp_path):
    answer = check(tmp_path, message)
    assert answer.returncode == 1
    assert what in answer.stderr
