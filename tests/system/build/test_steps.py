"""Steps of builds that run together: at the same time, sharing the cores, and ended at once."""

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from leadline.core import steps
from leadline.core.errors import UserError
from leadline.measure.build import cmake

# Each waits until the other has begun, which it never would one after the other.
MEET = 'touch "$0/$1"; for i in $(seq 100); do [ -e "$0/$2" ] && exit 0; sleep 0.1; done; exit 1'


def shell(folder, script, *words):
    argv = ["sh", "-c", script, str(folder), *words]
    return steps.run(argv, os.environ, folder / f"log-{'-'.join(words)}")


def test_steps_run_at_the_same_time(tmp_path):
    both = [partial(shell, tmp_path, MEET, *pair) for pair in (("a", "b"), ("b", "a"))]
    assert steps.together(both, building=2, cores=2) == [0, 0]


@pytest.mark.parametrize(
    ("building", "cores", "jobs"), [(1, 8, 0), (2, 8, 4), (3, 8, 2), (3, 2, 1), (4, 1, 1)]
)
def test_builds_share_the_cores(building, cores, jobs):
    assert steps.together([steps.jobs] * 4, building, cores) == [jobs] * 4


def test_an_interrupt_ends_all_that_steps_started(tmp_path):
    script = 'sleep 60 & echo $! > "$0/$1.tmp"; mv "$0/$1.tmp" "$0/$1.pid"; wait'
    files = [tmp_path / f"{name}.pid" for name in "ab"]

    def interrupt():
        while not all(file.exists() for file in files):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        steps.together([partial(shell, tmp_path, script, name) for name in "ab"], 2, 2)
    for file in files:
        stat = Path(f"/proc/{int(file.read_text())}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


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
