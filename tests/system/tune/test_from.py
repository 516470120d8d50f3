"""`leadline tune --from`: a recording that is tuned for, and what is refused in one line."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from command import strict_json
from recordings import rank, row, write_node

from leadline.core.errors import UserError
from leadline.measure.build import runtime_for
from leadline.measure.launch.slots import available_cores
from leadline.site.mpi.choice import choose_one

ADVISED = Path(__file__).parents[2] / "support/injected/programs/advised.c"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from", "nosuch"), "--from nosuch: no run 'nosuch'"),
        (("--from", "{sends}"), "has no collective on 2 or more ranks that leadline can tune"),
        (("--from", "{strange}"), "recorded with 'Strange 1', which `leadline mpi` does not find"),
        (("--from", "{sends}", "allreduce"), "leave out allreduce"),
        (("--from", "{sends}", "--bytes", "8", "--place", "1x2"), "leave out --place, --bytes"),
    ],
)
def test_bad_input_is_one_line(leadline, tmp_path, words, says):
    try:
        version = choose_one("mpich").version
    except UserError as error:
        pytest.skip(str(error))
    sends = [rank(at, rows=[row("MPI_Send", calls=9, size=8, seconds=1.0)]) for at in range(2)]
    write_node(tmp_path / "sends", sends, library=f"MPICH Version: {version} ")
    write_node(tmp_path / "strange", sends, library="Strange 1")
    given = [word.format(sends=tmp_path / "sends", strange=tmp_path / "strange") for word in words]
    done = leadline("tune", *given, "--anyway", "--runs", leadline.runs)
    assert done.returncode == 2
    assert says in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.mpi
@pytest.mark.timing
@pytest.mark.skipif(available_cores() < 2, reason="this machine has one core")
@pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")
def test_a_recorded_program_is_tuned_for_and_nothing_else(leadline, tmp_path):
    there = choose_one("mpich")
    runtime_for(there, print)
    program = tmp_path / "advised"
    subprocess.run([there.mpicc, "-O2", ADVISED, "-o", program], check=True, capture_output=True)
    words = [there.mpiexec, "-n", "2", str(program), "exchange", "10000"]
    told = leadline("explain", "--json", "--runs", leadline.runs, "--", *words)
    assert told.returncode == 0, told.stderr
    run = strict_json(told.stdout)["run"]
    # Far from the names of other MPIs: what was recorded says which one.
    profile = tmp_path / "profile.toml"
    rest = ("--from", run, "--seconds", 5, "--anyway", "--json", "--out", profile)
    done = leadline.in_runs("tune", *rest)
    assert done.returncode == 0, done.stderr
    tuning = strict_json(done.stdout)
    assert tuning["mpi"] == there.name and tuning["settings"] is None
    tried = [each["trial"] for each in tuning["verdicts"]] + tuning["left"]
    cells = {
        (each["collective"], each["nodes"], each["processes"], each["bytes"]) for each in tried
    }
    assert {("alltoall", 1, 2, 1024), ("allgather", 1, 2, 8192)} <= cells
    # The reduction at the end and set-up may be there, for they take some time; nothing else.
    assert cells <= {
        ("alltoall", 1, 2, 1024), ("allgather", 1, 2, 8192), ("reduce", 1, 2, 8)
    }  # fmt: skip
    assert str(program) in tuning["use"] and "leadline exec" in tuning["use"]
    for rule in tomllib.loads(profile.read_text())["rule"]:
        sizes = {"alltoall": (1024, 2047), "allgather": (8192, 16383), "reduce": (8, 15)}
        assert (rule["from_bytes"], rule["to_bytes"]) == sizes[rule["collective"]]
