import os

import pytest

from leadline.core.errors import UserError
from leadline.measure.build import observer_for, runtime_for
from leadline.site.mpi.discovery import FAKE


def test_a_runtime_is_built_once_and_replaced_at_once(project, home, there):
    said = []
    folder = runtime_for(there, said.append, project.root)
    assert folder == home / "runtime/m-1"
    assert (folder / "libleadline.so").is_file()
    engine = folder / "libleadline-engine.so"
    with engine.open("rb") as in_use:
        before = in_use.read()
        project.write("another probe, which is no reason to build")
        assert runtime_for(there, said.append, project.root) == folder
        assert said[0] == "building the mpi engine for m-1"
        assert len(said) == 2 and said[1].startswith("built the mpi engine for m-1 in ")

        (project.root / "runtime/library.cpp").write_text("int second;")
        runtime_for(there, said.append, project.root)
        assert len(said) == 4
        in_use.seek(0)
        assert in_use.read() == before
    assert b"second" in engine.read_bytes()


def test_the_observer_is_built_without_the_engine(project, home, there):
    said = []
    folder = observer_for(there, said.append, project.root)
    assert said[0] == "building the mpi observer for m-1"
    assert sorted(each.name for each in folder.glob("*.so")) == [
        "libleadline-explain.so",
        "libleadline-observer.so",
    ]
    assert os.access(folder / "leadline-watch", os.X_OK)
    runtime_for(there, said.append, project.root)
    assert len(list(folder.glob("*.so"))) == 4


def test_what_has_no_mpi_has_no_runtime(home):
    with pytest.raises(UserError, match=r"fake has no MPI launcher .*leadline mpi"):
        runtime_for(FAKE, str)
    assert not home.exists()
