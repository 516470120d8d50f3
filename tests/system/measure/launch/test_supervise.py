"""Supervision without MPI: shells play the launcher, and ranks that leave it."""

import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.launch import supervise
from leadline.measure.launch.hosts import end_remote
from leadline.measure.launch.processes import Leftovers
from leadline.measure.launch.supervise import run_supervised
from leadline.model.job import Start

# A rank that leaves its launcher's session and does not listen to SIGTERM.
ESCAPE = "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & "


def tagged(tag):
    """Return the processes whose environment carries the tag."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"LEADLINE_TAG={tag}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture
def supervised(tmp_path):
    tag = f"test/{os.getpid()}/{time.monotonic_ns()}"

    def run(script, tick=lambda: False, **limits):
        return run_supervised(
            Start(argv=("sh", "-c", script), environment={"GIVEN": "x y"}),
            stdout=tmp_path / "stdout.txt",
            stderr=tmp_path / "stderr.txt",
            tag=tag,
            tick=tick,
            **limits,
        )

    yield run
    assert tagged(tag) == set()


def test_what_runs_after_the_last_word_is_ended(supervised, monkeypatch):
    monkeypatch.setattr(supervise, "_END_SECONDS", 0.1)
    ended = supervised(f"{ESCAPE} sleep 60", finished=lambda: True)
    assert ended.outcome.state == "complete"
    assert "did not end" in ended.outcome.message
    assert supervised("sleep 0.3", finished=lambda: False).outcome.message == ""


def after(seconds, action):
    """Return a tick that does `action` once, `seconds` after now."""
    deadline = time.monotonic() + seconds
    pending = [action]

    def tick():
        if pending and time.monotonic() >= deadline:
            pending.pop()()
        return False

    return tick


def test_a_good_end(supervised, tmp_path):
    begun = time.monotonic()
    ended = supervised('echo "out $GIVEN"; echo err >&2; cat')
    assert (ended.returncode, ended.outcome.state, ended.outcome.message) == (0, "complete", "")
    assert (tmp_path / "stdout.txt").read_text() == "out x y\n"
    assert (tmp_path / "stderr.txt").read_text() == "err\n"
    assert 0 < ended.seconds <= time.monotonic() - begun


@pytest.mark.parametrize(
    ("script", "limit_s", "expected"),
    [
        ("exit 7", None, (7, "failed", "sh ended with status 7")),
        (ESCAPE + "exit 0", None, (0, "complete", "")),
        (ESCAPE + "kill -9 $$", None, (-9, "failed", "sh was killed by signal 9 (SIGKILL)")),
        (ESCAPE + "wait", 0.3, (-15, "timed out", "the time limit of 0.3 s was reached")),
    ],
)
def test_whatever_the_end_nothing_stays(supervised, script, limit_s, expected):
    ended = supervised(script, time_limit_s=limit_s)
    assert (ended.returncode, ended.outcome.state, ended.outcome.message) == expected


def test_orphans_without_the_tag_are_ended(supervised, tmp_path):
    script = "env -u LEADLINE_TAG " + ESCAPE + "echo $!; kill -9 $$"
    supervised(script)
    pid = int((tmp_path / "stdout.txt").read_text())
    assert not Path(f"/proc/{pid}").exists()


def test_stall_is_told_from_slow_progress(supervised):
    news = iter([True] * 8)
    ended = supervised(
        "sleep 30", tick=lambda: next(news, False), tick_seconds=0.1, stall_limit_s=0.3
    )
    assert ended.outcome.state == "timed out"
    assert "nothing new came from the probe for 0.3 s" in ended.outcome.message
    assert ended.seconds > 0.8 + 0.3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_leadline_interrupt(supervised, number):
    before = signal.getsignal(number)
    ended = supervised(ESCAPE + "wait", after(0.2, lambda: os.kill(os.getpid(), number)))
    assert (ended.outcome.state, ended.outcome.message) == ("interrupted", f"by {number.name}")
    assert signal.getsignal(number) == before


def test_what_tick_raises_passes_and_nothing_stays(supervised):
    def full():
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        supervised(ESCAPE + "wait", full)


def test_tick_sees_what_came_last(supervised, tmp_path):
    seen = []
    supervised("sleep 0.1; echo last", lambda: seen.append((tmp_path / "stdout.txt").read_text()))
    assert seen[-1] == "last\n"


def test_launcher_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"^/nowhere/mpiexec cannot be executed \(No such file"):
        run_supervised(
            Start(argv=("/nowhere/mpiexec",)),
            stdout=tmp_path / "o",
            stderr=tmp_path / "e",
            tag="t",
            tick=lambda: False,
        )


def test_unrelated_children_are_left_alone(supervised):
    other = os.spawnlp(os.P_NOWAIT, "setsid", "setsid", "sleep", "30")
    try:
        supervised("exit 0")
        assert os.waitpid(other, os.WNOHANG) == (0, 0)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)


def test_it_works_outside_the_main_thread(supervised):
    ended = []
    thread = threading.Thread(target=lambda: ended.append(supervised("exit 0")))
    thread.start()
    thread.join(20)
    assert ended[0].outcome.state == "complete"


def test_waiting_takes_practically_no_processor(supervised):
    ticks = []

    def tick():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        ticks.append((time.monotonic(), usage.ru_utime + usage.ru_stime))
        return False

    supervised("sleep 2", tick)
    # What starting and clearing up cost, which the last tick has seen, is not waiting.
    (began_s, used_before_s), *_, (ended_s, used_after_s), _ = ticks
    assert ended_s - began_s > 1.0
    assert used_after_s - used_before_s < 0.1 * (ended_s - began_s)


def test_end_remote_ends_what_carries_the_tag(tmp_path):
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\n[ "$1" = down ] && exit 255\nshift; exec sh -c "$*"\n')
    shell.chmod(0o755)
    tag = f"remote/{os.getpid()}"
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True)\n"
    environment = {**os.environ, "LEADLINE_TAG": tag}
    reader, writer = os.pipe()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", code + "time.sleep(60)"],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)],
    )
    assert os.read(reader, 1) == b"1"
    assert end_remote(("up", "down"), tag, str(shell)) == ("down",)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL
    assert end_remote(("up",), tag, "/nowhere/ssh") == ("up",)


def test_leftovers_removes_only_the_launchs_own(tmp_path):
    for name in ("mpich_shm_old_0", "somebody_else"):
        (tmp_path / name).touch()
    leftovers = Leftovers(tmp_path, tmp_path)
    for name in ("mpich_shm_new_0", "vader_segment.h.0.1.0", "sm_segment.used", "new_else"):
        (tmp_path / name).touch()
    for name in ("ompi.h.0/pid.41/1", "ompi.h.0/pid.42/1", "ompi.42/0", "ompi.43/0"):
        (tmp_path / name).mkdir(parents=True)
    with (tmp_path / "sm_segment.used").open():
        leftovers.clear(42)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    files = {"mpich_shm_old_0", "somebody_else", "sm_segment.used", "new_else"}
    folders = {"ompi.h.0", "ompi.h.0/pid.41", "ompi.h.0/pid.41/1", "ompi.43", "ompi.43/0"}
    assert left == files | folders
