"""Launches watched for real: shells play the tools, and the disturbance is a real process."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from checkout import CHECKOUT
from comparison.busy import busy
from comparison.cases import Case, Contender
from comparison.measure import carry_out
from comparison.schedule import Step
from comparison.tool import Reading

from leadline.core.errors import UserError
from leadline.model.job import Start

BENCHMARKS = CHECKOUT / "benchmarks"
PROCESSOR = min(os.sched_getaffinity(0))


class Shell:
    """A tool that executes its first argument and reports the number that it prints."""

    def start(self, contender, sizes):
        return Start(argv=("sh", "-c", contender.arguments[0]))

    def read(self, output, contender, sizes):
        return Reading(seconds={8: float(output)})


def steps(*scripts, condition="quiet"):
    contenders = tuple(
        Contender(name=script, tool="IMB", arguments=(script,), definition="") for script in scripts
    )
    case = Case(name="shells", bytes=(8,), contenders=contenders)
    return [Step(condition=condition, round=0, case=case, contender=each) for each in contenders]


@pytest.fixture
def children():
    """What this process has started since, and what that started: a browser of other tests, which
    starts processes when it likes, is left out.
    """
    before = set(psutil.Process().children())
    return lambda: [
        each
        for child in psutil.Process().children()
        if child not in before
        for each in (child, *child.children(recursive=True))
    ]


def test_each_step_is_measured_in_turn(tmp_path):
    said = []
    found = list(
        carry_out(steps("echo 1", "sleep 0.2; echo 2"), {"IMB": Shell()}, 0, tmp_path, said.append)
    )
    assert [each.reading.seconds[8] for each in found] == [1.0, 2.0]
    assert found[1].wall_s >= 0.2
    assert said == ["quiet, round 1, shells: echo 1", "quiet, round 1, shells: sleep 0.2; echo 2"]


def test_a_failed_launch_is_told_in_its_own_words(tmp_path):
    failing = carry_out(steps("echo out of luck >&2; exit 7"), {"IMB": Shell()}, 0, tmp_path, print)
    with pytest.raises(UserError, match=r"status 7.*out of luck"):
        next(failing)


def test_an_interrupt_ends_the_launch_and_the_disturbance(tmp_path, children):
    script = "sleep 60 & sleep 60"
    measuring = carry_out(
        steps("echo 1", script, condition="disturbed"), {"IMB": Shell()}, PROCESSOR, tmp_path, print
    )
    assert next(measuring).reading.seconds == {8: 1.0}
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        next(measuring)
    assert children() == []


def test_the_disturbance_computes_about_half_of_the_time_on_its_processor(children):
    with busy(PROCESSOR):
        (child,) = children()
        time.sleep(0.3)
        before = child.cpu_times().user + child.cpu_times().system
        time.sleep(1.0)
        share = child.cpu_times().user + child.cpu_times().system - before
        assert child.cpu_affinity() == [PROCESSOR]
        # Others may take time from it, but it never computes all of the time.
        assert 0.05 < share < 0.75
    assert not child.is_running()


def test_the_disturbance_does_not_outlive_a_killed_comparison():
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import time; from comparison.busy import busy\n"
            f"with busy({PROCESSOR}): print('ready', flush=True); time.sleep(60)",
        ],
        env={**os.environ, "PYTHONPATH": str(BENCHMARKS)},
        stdout=subprocess.PIPE,
    )
    assert parent.stdout.readline() == b"ready\n"
    (child,) = psutil.Process(parent.pid).children()
    time.sleep(0.3)
    assert child.is_running()
    parent.kill()
    parent.wait()
    child.wait(5)


def run(*arguments):
    return subprocess.run(
        [BENCHMARKS / "run", "peers", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--anyway", "--imb", "nowhere/IMB-MPI1"), "cannot be executed"),
        (("--anyway", "--json", "nowhere/answer.json"), "cannot write"),
        (("--launches", "1"), "not in the range"),
    ],
)
def test_bad_input_is_refused_before_anything_is_measured(arguments, said):
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_busy_machine_is_refused():
    with busy(PROCESSOR):
        done = run()
    assert done.returncode == 2
    assert "not quiet" in done.stderr
    assert done.stderr.count("\n") == 1
