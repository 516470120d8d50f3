"""No measurement, no verdict: what each command that judges says without data, and of a part."""

import os

import pytest
from command import Leadline
from real_ranks import installed

pytestmark = pytest.mark.mpi

# As ssh is called, but here: hosts of which the name begins with `gone` do not exist.
SHELL = """#!/bin/sh
while [ "$1" = -x ]; do shift; done
case "$1" in gone*) echo "ssh: Could not resolve hostname $1" >&2; exit 255 ;; esac
shift
exec /bin/sh -c "$*"
"""
PLAN = """
name = "nobody"
hosts = ["gone1", "gone2"]
placements = ["2x1"]
launches = 2
roofs = false
[[entries]]
benchmarks = ["mpi/pingpong"]
axes = { bytes = "8" }
"""
UNKNOWN = "Could not resolve hostname gone"
GOOD = (
    "nothing is slow",
    "nothing wrong",
    "not stuck",
    "the same within",
    "history begins",
    "first run of",
)
# In this order: the first is the run of which the others speak. Command, exit status, what it says.
CASES = (
    ("watch {plan} --anyway", 2, "no answer: no figure was measured"),
    ("watch {plan} --no-run", 2, "no answer: no figure was measured"),
    ("show last", 0, "The run is failed"),
    ("compare last last", 2, "last has no figures"),
    ("run mpi/pingpong --hosts gone1,gone2 --place 2x1 --anyway", 2, UNKNOWN),
    ("survey --hosts gone1,gone2 --time-limit 5 --anyway", 2, "no answer from gone1, gone2"),
    ("screen --hosts gone1,gone2,gone3,gone4", 2, "no answer: no node was measured"),
    ("screen --hosts 127.0.0.2,127.0.0.3,gone1,gone2", 2, "gone1, gone2 do not answer"),
    ("check -- true", 0, "no answer: no rank was seen"),
    ("check --end -- true", 2, "no answer: no rank was seen"),
    ("stuck 999999999", 2, "no process and no job"),
    ("explain --mpi {mpi} -- true", 0, "nothing is known of where the time went"),
    ("check -- env ./nope", 127, "./nope is not there"),
    ("explain --mpi {mpi} -- env ./nope", 127, "./nope is not there"),
    ("explain ./nope", 2, "./nope: there is neither such a command nor such a run"),
    ("explain last --full", 2, "options stand before the run: leadline explain --runs "),
    ("explain last", 2, "is no recording of a program"),
)
WITH_RUNS = ("watch", "show", "compare", "run", "screen", "explain")
WITH_SHELL = ("run", "screen")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Give exit status and all words of each of the commands."""
    home = tmp_path_factory.mktemp("nobody")
    shell, plan = home / "shell", home / "plan.toml"
    shell.write_text(SHELL)
    shell.chmod(0o755)
    leadline = Leadline(home / "runs", dict(os.environ))
    mpi = installed(leadline, "mpich")["name"]
    plan.write_text(f'mpi = ["{mpi}"]\nremote_shell = "{shell}"\n{PLAN}')
    found = {}
    for text, *_ in CASES:
        command, *words = text.format(plan=plan, mpi=mpi).split()
        options = ["--runs", leadline.runs] if command in WITH_RUNS else []
        if command in WITH_SHELL:
            options += ["--remote-shell", shell, "--mpi", mpi]
        done = leadline(command, *options, *words)
        found[text] = done.returncode, " ".join((done.stdout + done.stderr).split())
    return found


@pytest.mark.parametrize(("command", "status", "words"), CASES, ids=[each[0] for each in CASES])
def test_without_data_nothing_is_called_good(said, command, status, words):
    found, text = said[command]
    assert found == status, text
    assert words in text
    assert not [good for good in GOOD if good in text]
    assert "Traceback" not in text
