"""A plan with the knob `runtime` builds what its launches preload, before the first of them."""

from types import SimpleNamespace

import pytest

from leadline.core.errors import UserError
from leadline.measure.run import preparation
from leadline.model.job import Job
from leadline.model.placement import Placement


@pytest.fixture
def built(monkeypatch):
    names = []
    monkeypatch.setattr(preparation, "runtime_for", lambda made, say: names.append(made.name))
    return names


def prepared(profile, **runtimes):
    """What stands for the launches of each MPI, with the runtime or without, and the MPIs."""
    launches = [
        SimpleNamespace(
            mpi=mpi,
            job=Job(
                program=("p",),
                placement=Placement(1, 2),
                environment={"LEADLINE_PROFILE": str(profile)} if on else {},
                runtime=on,
            ),
        )
        for mpi, all_ in runtimes.items()
        for on in all_
    ]
    return launches, [SimpleNamespace(installation=SimpleNamespace(name=mpi)) for mpi in runtimes]


def test_each_mpi_that_needs_it_is_built_once(built, tmp_path):
    profile = tmp_path / "p.toml"
    profile.touch()
    launches, probe_sets = prepared(profile, one=[False, True, True], two=[False], three=[True])
    preparation._build_runtimes(launches, probe_sets, str)
    assert built == ["one", "three"]


def test_without_a_profile_there_is_nothing_to_measure(built, tmp_path):
    with pytest.raises(UserError, match=r"no profile .*p.toml: `leadline tune --mpi one`"):
        preparation._build_runtimes(*prepared(tmp_path / "p.toml", one=[True]), str)
    assert built == []


def test_no_profile_may_be_asked_for(built):
    preparation._build_runtimes(*prepared("", one=[True]), str)
    assert built == ["one"]
