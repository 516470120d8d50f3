"""A leadline that is killed is told from one that still measures."""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.model.run import Outcome
from leadline.store.folder import RunFolder

KILLED = """
import sys, time
from pathlib import Path
from leadline.store.folder import RunFolder
import msgspec
from leadline.model.run import Run
folder = RunFolder.create(Path(sys.argv[1]), "killed")
run = msgspec.json.decode(Path(sys.argv[2]).read_bytes(), type=Run)
folder.write(run)
print(folder.path, flush=True)
time.sleep(60)
"""


def test_a_killed_leadline_is_told_from_one_that_still_measures(measured):
    made = measured()
    runs, source = made.folder.path.parent / "other", made.folder.path / "run.json"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, runs, source], stdout=subprocess.PIPE, text=True
    ) as process:
        folder = RunFolder(Path(process.stdout.readline().strip()))
        made.launch(0)
        made.launch(1, cut_after=1)
        for launch in ("000", "001"):
            (made.folder.path / "launches" / launch).rename(folder.path / "launches" / launch)
        assert folder.read().outcome.state == "running"
        assert len(folder.read().launches) == 2
        with pytest.raises(UserError, match="still being measured"):
            folder.recover()
        process.send_signal(signal.SIGKILL)
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")}
    run = folder.read()
    assert run.outcome == Outcome(state="incomplete", message="leadline itself was killed")
    assert [[result.point for result in launch.points] for launch in run.launches] == [
        [0, 1, 2],
        [2],
    ]
    assert run.launches[1].outcome.state == "incomplete"
    assert run.launches[1].mpi == "mpich"
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")} == before
    recovered = folder.recover()
    assert folder.parquet.exists()
    assert msgspec.json.encode(folder.read()) == msgspec.json.encode(recovered)
    assert folder.read().outcome.state == "incomplete"
