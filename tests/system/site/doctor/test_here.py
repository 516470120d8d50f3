"""The doctor on the machine that runs the tests."""

import json
import subprocess
import sys
import time

import psutil
import pytest
from click.testing import CliRunner

from leadline.cli.commands.check import command
from leadline.model.summary import CheckResult
from leadline.site import doctor
from leadline.site.doctor.system import error_of_reading_a_neighbour, observe
from leadline.site.hardware.files import Files

SPIN = f"{sys.executable} -I -S -c 'while True: pass'"


def test_examining_waits_for_less_than_a_second(monkeypatch):
    slept, sleep = [], time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: slept.append(seconds) or sleep(seconds))
    results = doctor.examine()
    assert sum(slept) < 0.8
    assert {result.status for result in results} <= {"ok", "warn", "bad", "unknown"}
    assert not [result for result in results if "check failed" in result.observed]


def test_one_process_reads_another_or_is_refused():
    assert error_of_reading_a_neighbour() in (0, 1, 38)


def test_a_spinning_process_is_seen_with_its_share():
    with subprocess.Popen(["sh", "-c", f"exec {SPIN}"]) as spinner:
        try:
            begun, before = time.monotonic(), psutil.Process(spinner.pid).cpu_times().user
            found = {process.pid: process for process in observe(Files())().processes}
            took = time.monotonic() - begun
            truth = psutil.Process(spinner.pid).cpu_times().user - before
        finally:
            spinner.kill()
    # Its time is counted in ticks of 10 ms.
    assert found[spinner.pid].cpu_share * took == pytest.approx(truth, rel=0.25, abs=0.05)
    assert not found[spinner.pid].is_ancestor


def test_a_rank_that_its_launcher_left_is_found():
    # The shell ends at once: its child is adopted, as ranks of a killed launcher are.
    started = subprocess.run(
        ["sh", "-c", f"{SPIN} >/dev/null 2>&1 & echo $!"],
        env={"PMI_RANK": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = started.stdout.strip()
    try:
        results = {result.name: result for result in doctor.examine()}
    finally:
        subprocess.run(["kill", "-9", pid], check=True)
    found = results["left-over-processes"]
    assert f"(pid {pid}," in found.observed
    assert pid in (found.advice or "")


def test_json_has_the_promised_keys_and_no_colour():
    answer = CliRunner().invoke(command, ["--json"])
    assert answer.exit_code == 0
    checks = json.loads(answer.output)["checks"]
    keys = {"name", "status", "observed", "meaning", "advice", "command", "numbers"}
    assert all(set(check) == keys for check in checks)


def test_text_puts_the_worst_first_without_colour_in_a_pipe():
    answer = CliRunner().invoke(command, [])
    assert answer.exit_code == 0
    assert "\x1b" not in answer.output
    order = ["bad", "warn", "unknown", "ok"]
    lines = [line for line in answer.output.splitlines() if line and line[0] != " "][:-1]
    ranks = [order.index(line.split()[0]) for line in lines]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(("status", "code"), [("bad", 1), ("warn", 0)])
def test_strict_is_a_status_for_scripts(monkeypatch, status, code):
    result = CheckResult(name="x", status=status, observed="o [b]", meaning="m")
    monkeypatch.setattr(doctor, "examine", lambda: [result])
    answer = CliRunner().invoke(command, ["--strict"])
    assert answer.exit_code == code
    assert "o [b]" in answer.output
