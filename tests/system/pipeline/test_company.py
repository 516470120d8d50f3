"""A run records who else was there in each of its launches, and says so."""

import json
import subprocess
import time

import psutil

from leadline.measure.run import run as execution
from leadline.measure.run.preparation import prepare
from leadline.model.plan import Entry, Plan
from leadline.model.progress import Silent
from leadline.store.folder import RunFolder


def eater(program):
    """Start a process that keeps a processor busy and is no descendant of this one."""
    loop = f"{program} -c 'while :; do :; done' > /dev/null 2>&1 & echo $!"
    done = subprocess.run(["sh", "-c", loop], stdout=subprocess.PIPE, check=True, text=True)
    return psutil.Process(int(done.stdout))


def test_a_program_beside_two_launches_of_four(leadline, environment, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", environment["LEADLINE_HOME"])
    program = tmp_path / "other-program"
    program.symlink_to("/bin/sh")
    entry = Entry(benchmarks=("fake/transfer",), axes={"bytes": "8"})
    prepared = prepare(Plan(entries=(entry,), mpi=("fake",), launches=4), lambda text: None)

    eaters = []

    class Meddling(Silent):
        def doing(self, text):
            if "launch 2" in text or "launch 4" in text:
                eaters.append(eater(program))
                time.sleep(0.4)

    class Folder(RunFolder):
        def write(self, run):
            # Once a launch is written down it is over for everybody who looked on.
            super().write(run)
            while eaters:
                eaters.pop().kill()

    folder = Folder.create(leadline.runs, "company")
    run = execution.execute(prepared, folder, Meddling(), [])
    named = [
        [each.command for each in launch.company.programs if each.command == program.name]
        for launch in run.launches
    ]
    assert named == [[], [program.name], [], [program.name]]
    assert all(launch.company.host == run.machine["host"] for launch in run.launches)
    assert all(launch.company.looks >= 1 for launch in run.launches)

    answer = json.loads(leadline.in_runs("show", folder.name, "--json").stdout)
    assert [each["launch"] for each in answer["company"]] == [0, 1, 2, 3]
    (told,) = {each["command"] for each in answer["company"][1]["programs"]} & {program.name}
    assert told == program.name
