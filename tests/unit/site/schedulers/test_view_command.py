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
from tests.unit.site.schedulers.conftest import WORDS

from leadline.core.subprocesses import ask
from leadline.model.jobs import Job, Node
from leadline.output.terminal.grid import lines
from leadline.output.terminal.jobs import jobs_grid
from leadline.site.hardware.files import Files
from leadline.site.schedulers import job_source
from leadline.site.schedulers.job_source import NoAnswer, in_turn, kinds, source, with_own_clock
from leadline.site.schedulers.slurm.jobs import Rows

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
        assert "--watch" in view.refused("config", f"--watch={seconds}")
    assert "No such command" in view.refused("nodes")


@pytest.mark.parametrize("name", ["slurm", "pbs"])
def test_a_system_whose_programs_are_missing(view, name):
    view.environment["PATH"] = str(view.programs)
    done = view("config", "--system", name, status=1)
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
    deadline = time.monotonic() + 10
    while _lives(child):
        assert time.monotonic() < deadline
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
        errors = self._process.communicate(timeout=30)[1]
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


def _job(number, queue="q", **more):
    facts = {"phase": "waiting", "state": "Q", "user": "anna", "name": "job", **more}
    return Job(id=str(number), queue=queue, **facts)


def test_turns():
    """Each queue has its own; who asks for several has the best turn, and is ahead in all."""
    waiting = [_job(1), _job(2, "q,r"), _job(3, "r"), _job(4, "r"), _job(5, "s")]
    assert [job.position for job in in_turn(waiting)] == [1, 1, 2, 3, 1]


def test_kinds():
    """Alike is what has the same size and queues, whatever it does and in whichever order."""
    alike = {"state": "", "queues": ("a",), "cores": 4, "features": ("x", "y")}
    nodes = [
        Node(name="1", phase="idle", cores_in_use=0, load=0.5, **alike),
        Node(name="2", phase="mixed", cores_in_use=3, load=2.5, **alike),
        Node(name="3", phase="down", **{**alike, "features": ("y", "x")}),
        Node(name="4", phase="allocated", **{**alike, "cores": 8}),
    ]
    first, second = kinds(nodes)
    assert (first.nodes, first.idle, first.in_use, first.down) == (3, 1, 1, 1)
    assert (first.cores_in_use, first.load) == (3, 1.5)
    assert (second.nodes, second.cores, second.cores_in_use, second.load) == (1, 8, None, None)


def test_only_the_clock_of_the_own_node_is_known(tmp_path, monkeypatch):
    """And it stands for its kind."""
    folder = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    (folder / "base_frequency").write_text("2400000")
    monkeypatch.setattr("platform.node", lambda: "n2.cluster.example")
    nodes = [Node(name=name, phase="idle", state="idle") for name in ("n1", "n2", "n3")]
    known = with_own_clock(nodes, Files(tmp_path))
    assert [node.clock_hz for node in known] == [None, 2.4e9, None]
    (kind,) = kinds(known)
    assert (kind.nodes, kind.clock_hz) == (3, 2.4e9)


def test_rows_cannot_be_forged():
    rows = Rows({"name": "j", "user": "u"})
    between, end = rows.form[2:-2].split("%u")[0], rows.form.partition("%u")[2]
    other = Rows({"name": "j", "user": "u"})
    assert other.form != rows.form
    evil = other.form.replace("%j", "x").replace("%u", "root")
    text = f"{evil}{between}anna{end}\ncut{between}an"
    assert rows.read(text) == [{"name": evil, "user": "anna"}]


def _shown(jobs, width, height=None):
    return [line.plain for line in lines(jobs_grid(jobs), "caption", width, height)]


@pytest.mark.parametrize("width", [30, 60, 80, 120, 200])
def test_a_table_is_as_wide_as_the_terminal(width):
    """What is long is cut, what is spare is left out and named, and each job has its line."""
    jobs = [_job(n, name="n" * 90, command="c" * 5000, reason="Resources", nodes=4) for n in "12"]
    shown = _shown(jobs, width)
    assert max(map(len, shown)) <= width
    first = [line.split()[0] for line in shown if line.strip()]
    assert first[2:4] == ["1", "2"]
    assert len(first) == 5
    if width == 200:
        assert "no room" not in shown[-1]
        assert "command" in shown[1]
    if width == 60:
        assert shown[-1].startswith("caption; no room for: command")


def test_a_table_is_as_high_as_the_terminal():
    shown = _shown([_job(n) for n in range(50)], 100, 20)
    assert len(shown) <= 20
    assert shown[-1].startswith("caption; 36 more do not fit here")
