"""Which MPI a command that starts a program is of."""

import pytest

from leadline.cli import launching
from leadline.cli.launching import started
from leadline.core.errors import UserError
from leadline.model.installation import Installation


@pytest.fixture
def launcher(tmp_path, monkeypatch):
    """Return the launcher of the only MPI that is found, which is of this family."""

    def make(family):
        program = tmp_path / "run"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        only = Installation(
            name=f"{family}-1",
            family=family,
            version="1",
            prefix=str(tmp_path),
            source="",
            mpiexec=str(program),
        )
        monkeypatch.setattr(launching, "find_installations", lambda: [only])
        return only

    return make


def test_a_launcher_names_its_mpi(launcher):
    only = launcher("mpich")
    words = (only.mpiexec, "-n", "2")
    assert started(None, words, "exec") == (only, words)


@pytest.mark.parametrize("by", ["exec", "explain"])
def test_ranks_that_are_one_process_are_refused_at_once(launcher, by):
    only = launcher("simgrid")
    with pytest.raises(UserError, match=rf"simgrid-1 simulates .*`leadline {by}` takes a real MPI"):
        started(None, (only.mpiexec, "-np", "2"), by)
