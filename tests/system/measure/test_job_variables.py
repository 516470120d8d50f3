"""The variables that a batch job's launches inherit, noted by a shell and read again."""

import subprocess

import pytest

from leadline.measure.run.batch import note_variables, noted_variables
from leadline.model.installation import Installation


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """What a job with this environment notes for an Open MPI, of whose files one is there."""
    home, etc, run = tmp_path / "a home", tmp_path / "etc", tmp_path / "a run"
    (home / ".openmpi").mkdir(parents=True)
    etc.mkdir()
    run.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (etc / "openmpi-mca-params.conf").write_text("btl = self,tcp # no shared memory\npml = ob1\n")
    installation = Installation(
        name="o-1", family="openmpi", version="1", prefix="/o", source="",
        built={"configure": f"--sysconfdir={etc}"},
    )  # fmt: skip

    def note(**environment):
        script = "\n".join(["set -u", *note_variables([installation], run)])
        subprocess.run(
            ["sh", "-c", script], env={"PATH": "/usr/bin:/bin", **environment}, check=True
        )
        found = noted_variables([installation], run)
        return {each.name: (each.value, each.source) for each in found}, run, etc

    return note


def test_a_job_notes_variables_and_the_files_that_set_them(noted):
    found, _, etc = noted(UCX_TLS="tcp,self", OMPI_MCA_pml="ucx", OMPI_COMM_WORLD_RANK="1")
    file = str(etc / "openmpi-mca-params.conf")
    assert found == {
        "UCX_TLS": ("tcp,self", "environment"),
        "OMPI_MCA_pml": ("ucx", "environment"),
        "OMPI_MCA_btl": ("self,tcp", file),
    }


def test_a_job_notes_no_secret_and_nothing_that_nobody_reads(noted):
    found, run, _ = noted(UCX_AUTH_TOKEN="s3cret", AWS_KEY="s3cret", FI_PROVIDER="tcp")
    assert "UCX_AUTH_TOKEN" not in found and found["FI_PROVIDER"] == ("tcp", "environment")
    assert not any("s3cret" in path.read_text() for path in run.rglob("*") if path.is_file())


def test_a_job_that_has_noted_nothing_says_so(tmp_path):
    assert noted_variables([], tmp_path) is None
