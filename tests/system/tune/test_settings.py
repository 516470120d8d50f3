"""Settings of a real library: raced, proved, written, and what a program is started with."""

import shutil
import tomllib

import pytest
from command import strict_json

from leadline.measure.launch.slots import available_cores
from leadline.site.mpi.choice import choose_one

# What makes MPICH ask the system for a copy of each message, however small: far from its best.
BAD = {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "1"}
VARIABLE = "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE"


@pytest.mark.mpi
@pytest.mark.timing
@pytest.mark.skipif(available_cores() < 2, reason="this machine has one core")
def test_a_library_that_is_set_badly_is_tuned_and_exec_starts_programs_so(leadline, tmp_path):
    installation = choose_one("mpich")
    if not installation.version.startswith("5."):
        pytest.skip("the variables are those of MPICH 5")
    profile = tmp_path / "profile.toml"
    words = ("mpi/pingpong", "--mpi", installation.name, "--bytes", "8,1K", "--seconds", 5)
    done = leadline(
        "tune", *words, "--anyway", "--out", profile, "--json", "--runs", leadline.runs, **BAD
    )
    assert done.returncode == 0, done.stderr
    tuning = strict_json(done.stdout)
    settings = tuning["settings"]
    assert tuning["kind"] == "settings" and tuning["verdicts"] == []
    assert settings["chosen"] == ["shm_eager_limit=16K"] and not settings["reason"]
    assert settings["gain_low"] > 1
    assert [each["trial"]["bytes"] for each in settings["verdicts"]] == [8, 1024]
    assert tuning["files"] == [str(profile)] and str(profile) in tuning["use"]
    stored = {
        each["variable"]: each["value"] for each in tomllib.loads(profile.read_text())["setting"]
    }
    assert stored == settings["variables"] and VARIABLE in stored

    def environment(**changes):
        launched = (installation.mpiexec, "-n", "1", shutil.which("env"))
        done = leadline("exec", "--frozen", "--profile", profile, "--", *launched, **changes)
        assert done.returncode == 0, done.stderr
        return dict(
            line.split("=", 1) for line in done.stdout.splitlines() if "=" in line
        ), done.stderr

    there, said = environment()
    assert there.items() >= stored.items() and said == ""
    there, said = environment(**BAD)
    assert VARIABLE not in there and "shm_eager_limit=16K of the profile is not used" in said
    there, _ = environment(LEADLINE="off")
    assert VARIABLE not in there
