"""Who else is there: on a made-up machine to the tick, and on this one beside a known process."""

import subprocess
import time

import psutil
import pytest

from leadline.site.interference.watcher import InterferenceWatcher

MARK = "LEADLINE_TAG=run/0"


@pytest.fixture
def eater(tmp_path):
    """Give a process that takes all it can get and is no child of ours."""
    program = tmp_path / "eater"
    program.symlink_to("/bin/sh")
    loop = f"{program} -c 'while :; do :; done' >/dev/null 2>&1 & echo $!"
    started = subprocess.run(["sh", "-c", loop], stdout=subprocess.PIPE, check=True, text=True)
    process = psutil.Process(int(started.stdout))
    yield process
    process.kill()


def test_this_machine_beside_a_known_process(eater):
    def spent():
        times = eater.cpu_times()
        return times.user + times.system

    before, watch = spent(), InterferenceWatcher(MARK)
    began = time.monotonic()
    while time.monotonic() - began < 1.2:
        watch.tick()
        time.sleep(0.05)
    found = watch.end()
    truth = spent() - before
    (one,) = [each for each in found.programs if each.command == "eater"]
    assert one.cores * found.seconds == pytest.approx(truth, abs=0.05)
    assert one.user == psutil.Process().username()
    assert found.cores >= 0.9 * one.cores
    assert found.running_most >= 1
    assert found.looks_cpu_s < 0.2
