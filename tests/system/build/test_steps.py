"""Steps of builds: what is said of them, and that they end with leadline."""

import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest

from leadline.core import paths, steps
from leadline.core.errors import UserError
from leadline.measure.build import cmake, kernels


def shell(folder, script, *words):
    argv = ["sh", "-c", script, str(folder), *words]
    return steps.run(argv, os.environ, folder / f"log-{'-'.join(words)}")


def runs(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def a_step(folder, script):
    shell(folder, script, "a")


def kernels_of_two_compilers(folder, script):
    specs = [
        kernels.KernelSpec(("sh", "-c", script, str(folder), name), made_of=name) for name in "ab"
    ]
    paths.kernels().mkdir(parents=True)
    kernels.build_all(specs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("build", [a_step, kernels_of_two_compilers])
def test_a_signal_ends_all_that_a_build_started(tmp_path, monkeypatch, build, number):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    script = 'sleep 60 & echo $! > "$0/$1.tmp"; mv "$0/$1.tmp" "$0/$1.pid"; wait'
    files = [tmp_path / f"{name}.pid" for name in ("a" if build is a_step else "ab")]

    def end():
        while not all(file.exists() for file in files):
            time.sleep(0.02)
        os.kill(os.getpid(), number)

    threading.Thread(target=end).start()
    began = time.monotonic()
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        build(tmp_path, script)
    assert time.monotonic() - began < 50, "it waited for what it had to end"
    for file in files:
        # A grandchild takes a moment to end.
        until = time.monotonic() + 10
        while runs(int(file.read_text())):
            assert time.monotonic() < until, "it lives on"
            time.sleep(0.02)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_without_anybody_who_watches_a_step_says_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "_SAY_S", 0.1)
    told = []
    with steps.step("a probe", told.append):
        assert shell(tmp_path, 'echo "[2/8] two"; sleep 1') == 0
    assert told[0] == "building a probe"
    assert re.fullmatch(r"a probe: 2 of 8 done, about \d+ s left", told[1])


def test_whoever_watches_is_told_how_far_a_step_is(tmp_path):
    told = []

    class Watcher:
        def begin(self, what):
            told.append(("begin", what))

        def at(self, what, done, total):
            told.append((what, done, total))

        def end(self, what, seconds):
            told.append(("end", what))

        def leave(self, what):
            told.append(("leave", what))

    with steps.watched_by(Watcher()), steps.step("a probe", print):
        assert shell(tmp_path, 'echo "[1/3] one"; echo "[2/3] two"; sleep 1') == 0
    assert told[0] == ("begin", "a probe") and told[-2:] == [
        ("end", "a probe"),
        ("leave", "a probe"),
    ]
    assert ("a probe", 2, 3) in told


def test_a_full_disk_is_named_and_not_what_ninja_says_of_it(tmp_path, monkeypatch):
    class Usage:
        free = 0

    monkeypatch.setattr(cmake.shutil, "disk_usage", lambda _: Usage)
    nothing = tmp_path / "nothing"
    with pytest.raises(UserError, match=rf"^no space left on device: {tmp_path}: free some space"):
        cmake.build("it", nothing, tmp_path, tmp_path / "log", (), os.environ)
