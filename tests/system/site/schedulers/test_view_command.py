"""What all views have in common: bad input, systems that hang, and watching."""

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from view_command import WORDS

from leadline.core.processes import ask
from leadline.site.schedulers import job_source
from leadline.site.schedulers.job_source import NoAnswer, source

JOBS = json.dumps(
    {
        "Jobs": {
            "1.s": {"Job_Name": "a", "job_state": "R", "exec_host": "n1/0", "queue": "q"},
            "2.s": {"Job_Name": "b", "job_state": "Q", "comment": "Not Running", "queue": "q"},
        }
    }
)


def test_bad_input_is_one_line(view):
    assert "there is slurm, pbs, plain" in view.refused("queue", "--system", "lsf")
    assert "'wait': there is running, ending" in view.refused("queue", "--state", "wait")
    for seconds in ("0", "x", "nan"):
        assert "--watch" in view.refused("nodes", f"--watch={seconds}")
    assert "no command 'nothing'" in view.refused("nothing")


@pytest.mark.parametrize("name", ["slurm", "pbs"])
def test_a_system_whose_programs_are_missing(view, name):
    view.environment["PATH"] = str(view.programs)
    done = view("nodes", "--system", name, status=1)
    (line,) = done.stderr.splitlines()
    assert "not on the PATH" in line


@pytest.mark.parametrize(("name", "program"), [("slurm", "squeue"), ("pbs", "qstat")])
def test_a_system_that_hangs(view, monkeypatch, name, program):
    """It is given up, with all that it started."""
    view.program(program, f"sleep 50 & echo $! >{view.folder}/pid; wait")
    monkeypatch.setenv("PATH", view.environment["PATH"])
    monkeypatch.setattr(job_source, "LIMIT_S", 0.5)
    with pytest.raises(NoAnswer, match=rf"{program}: no answer in 0.5 s \("):
        source(name).jobs()
    child = int((view.folder / "pid").read_text())
    while _lives(child):
        time.sleep(0.01)


def _lives(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_what_a_program_says_and_how_it_ends():
    said = ask(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (said.status, said.output, said.errors) == (3, "out\n", "err\n")


class Watched:
    """A view that is shown again and again, on a terminal or in a pipe."""

    def __init__(self, view, *words, terminal):
        self.text = ""
        self._reads, writes = pty.openpty() if terminal else os.pipe()
        self._process = subprocess.Popen(
            [*WORDS, *words], env={**view.environment, "TERM": "xterm", "COLUMNS": "100"},
            stdin=subprocess.DEVNULL, stdout=writes, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        os.close(writes)

    def until(self, pattern):
        """Read until what was printed holds the pattern."""
        while not re.search(pattern, self.text, re.DOTALL):
            part = os.read(self._reads, 65536).decode()
            assert part, self.text
            self.text += part

    def interrupt(self):
        """Return the exit status after Ctrl-C, and the errors; all is printed by then."""
        self._process.send_signal(signal.SIGINT)
        errors = self._process.communicate()[1]
        try:
            while part := os.read(self._reads, 65536):
                self.text += part.decode()
        except OSError:  # how a terminal ends
            pass
        os.close(self._reads)
        return self._process.returncode, errors


def test_watching_on_a_terminal(view):
    """In place and in colour; a server that is gone for a while is told of below what was seen."""
    view.answers("qstat", "json", JOBS)
    watched = Watched(view, "queue", "--system", "pbs", "--watch=0.5", terminal=True)
    watched.until(r"1 running, 1 waiting.*\x1b\[1A.*1 running, 1 waiting")
    assert "\x1b[32mrunning" in watched.text
    view.program("qstat", "echo gone >&2; exit 1")
    watched.until(r"1 running, 1 waiting[^~]*does not answer: qstat: gone")
    status, errors = watched.interrupt()
    assert (status, errors.split("\n")[-2]) == (130, "leadline: interrupted")
    # The cursor is there again.
    assert watched.text.rindex("\x1b[?25h") > watched.text.rindex("\x1b[?25l")


def test_watching_in_a_pipe(view):
    """One object a line, without colours; it goes on when there is no answer."""
    view.answers("qstat", "json", JOBS)
    watched = Watched(view, "queue", "--system", "pbs", "--json", "--watch=0.5", terminal=False)
    watched.until(r"\n.*\n")
    asked = view.folder / "asked"
    view.program("qstat", f"echo >>{asked}; echo gone >&2; exit 1")
    # Asked for text too, and once more: then it has complained.
    while not asked.exists() or asked.read_text().count("\n") < 3:
        time.sleep(0.05)
    status, errors = watched.interrupt()
    assert status == 130
    assert "does not answer: qstat: gone" in errors
    for line in watched.text.splitlines():
        assert [job["id"] for job in json.loads(line)["jobs"]] == ["1.s", "2.s"]


def test_no_colours_in_a_pipe(view):
    view.answers("qstat", "json", JOBS)
    view.environment["TERM"] = "xterm"
    assert "\x1b" not in view("queue", "--system", "pbs").stdout
