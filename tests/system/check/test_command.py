"""`leadline check` beside a command: what passes through, how both end, and what is told."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

CHECK = (sys.executable, "-m", "leadline", "check")


def check(*words):
    return subprocess.run([*CHECK, *words], capture_output=True, text=True, check=False)


def test_output_and_status_are_those_of_the_command():
    done = check("--", "sh", "-c", "echo out; echo err >&2; read line; echo $line; exit 3")
    assert done.stdout == "out\n\n"
    assert done.returncode == 3
    assert done.stderr.startswith("err\n")
    assert "no rank was seen" in " ".join(done.stderr.split())
    assert done.stderr.endswith("leadline: sh ended with status 3\n")


def test_json_has_standard_output_for_itself():
    done = check("--json", "--", "sh", "-c", "echo out; exit 0")
    said = json.loads(done.stdout)
    assert said["findings"] == said["ranks"] == []
    assert said["status"] == 0
    assert done.stderr == "out\n"
    assert done.returncode == 0


def behind_shell(redirected, *command):
    done = subprocess.run(
        ["bash", "-c", f'"$@" {redirected}', "-", *command],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    return done.stdout, done.returncode


def test_a_command_has_the_descriptors_of_its_user():
    command = "sh", "-c", "ls /proc/self/fd; exit 3"
    direct = behind_shell("7</dev/null", *command)
    assert "7" in direct[0].split()
    assert behind_shell("7</dev/null", *CHECK, "--", *command) == direct


def test_a_closed_standard_error_keeps_no_command_from_its_start():
    assert behind_shell("2>&-", *CHECK, "--", "sh", "-c", "echo out; exit 3") == ("out\n", 3)


def test_a_closed_standard_output_is_no_error():
    listed = sys.executable, "-m", "leadline", "platforms"
    assert behind_shell(">&-", *listed) == ("", 0)
    assert behind_shell(">&-", *CHECK, "--", "sh", "-c", "exit 3") == ("", 3)


def test_a_command_that_is_not_there():
    done = check("--", "no-such-command")
    assert done.returncode == 2
    assert done.stderr == (
        "leadline: no-such-command: command not found: give the command that starts your program\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_both(number, tmp_path):
    began = tmp_path / "began"
    script = f"trap 'exit 7' INT TERM; echo $$ > {began}; while :; do sleep 0.1; done"
    # Whoever started the tests in the background had interrupts ignored.
    running = subprocess.Popen(
        [*CHECK, "--", "sh", "-c", script], stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not (began.exists() and began.read_text().strip()):
        time.sleep(0.05)
    running.send_signal(number)
    running.communicate()
    assert running.returncode == 7
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)


def test_a_command_has_no_locale_that_the_user_has_not():
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    for given in ({}, {"LC_CTYPE": "C.UTF-8"}):
        done = subprocess.run(
            [*CHECK, "--", "env"], env={**own, **given}, capture_output=True, text=True, check=False
        )
        assert ("LC_CTYPE=C.UTF-8" in done.stdout.split("\n")) == bool(given)
