"""A tuning as it is asked for: what it resumes, and what it refuses."""

import platform
from pathlib import Path
from types import SimpleNamespace

import pytest

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.tune import request as tuning
from leadline.tune.request import Parts, TuningRequest, divide, resume, run_tuning
from leadline.tune.session import PROOF

MPICH = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="", source="")


def asked(**changes):
    given = {
        "benchmarks": (), "api": "mpi", "installation": MPICH,
        "placements": (Placement(1, 2),), "sizes": (8,), "seconds": 1.0, "library": False,
        "resume": True, "out": None, "runs": Path("runs"), "plan": Plan(entries=()),
    }  # fmt: skip
    return TuningRequest(**{**given, **changes})


def run(name, knobs=(), host=None, said=""):
    plan = Plan(entries=(), name=name, knobs=dict(knobs), placements=(Placement(1, 2),))
    launches = [SimpleNamespace(library=said)]
    machine = {"host": host or platform.node()}
    return SimpleNamespace(plan=plan, machine=machine, launches=launches)


@pytest.fixture
def kept(monkeypatch):
    """Runs that a folder of runs holds; returns which of them were added to the times."""
    added = []

    def keep(*runs):
        monkeypatch.setattr(tuning, "run_paths", lambda _: range(len(runs)))
        monkeypatch.setattr(
            tuning, "RunFolder", lambda at: SimpleNamespace(read=lambda: runs[at], at=at)
        )
        monkeypatch.setattr(tuning, "_summarise", lambda _, folder: folder.at)
        monkeypatch.setattr(
            tuning, "add_launches", lambda times, figures, *_: added.append(figures)
        )
        return added

    return keep


def test_the_last_tuning_of_this_kind_on_this_host_is_resumed_without_its_proof(kept):
    added = kept(
        run("tune mpich-5.0.2 100000", said="old"),
        run("tune mpich-5.0.2 110000", said="MPICH"),
        run("tune library mpich-5.0.2 120000"),
        run("tune mpich-5.0.2 110000", knobs={PROOF: "default,x.sh"}),
        run("tune mpich-5.0.2 130000", host="elsewhere"),
    )
    former = resume(asked(), SimpleNamespace(subjects=(), candidates=None))
    assert (former.name, former.library) == ("tune mpich-5.0.2 110000", "MPICH")
    assert list(former.times) == [Placement(1, 2)]
    assert added == [1]


def test_without_a_former_tuning_there_is_nothing_to_resume(kept):
    kept(run("tune shmem mpich-5.0.2 100000"))
    with pytest.raises(UserError, match=r"no tuning of mpich-5\.0\.2 in runs.*leave out --resume"):
        resume(asked(), SimpleNamespace(subjects=(), candidates=None))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"api": "shmem", "library": True}, "no settings of OpenSHMEM"),
        ({"api": "shmem", "placements": (Placement(2, 4),)}, "take 1x4"),
    ],
)
def test_what_cannot_be_tuned_is_refused_before_anything_is_built(changes, said):
    with pytest.raises(UserError, match=said):
        run_tuning(asked(**changes), None)


def test_the_runtime_must_not_be_under_the_library(monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "/x/libleadline.so")
    monkeypatch.delenv("LEADLINE", raising=False)
    with pytest.raises(UserError, match="tune with LEADLINE=off"):
        run_tuning(asked(), None)


def test_a_launcher_is_typed_as_a_shell_finds_it(tmp_path, monkeypatch):
    for folder, name in (("a", "mpiexec"), ("b", "mpiexec.other")):
        program = tmp_path / folder / name
        program.parent.mkdir()
        program.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert tuning._as_typed(tmp_path / "a/mpiexec") == "mpiexec"
    assert tuning._as_typed(tmp_path / "b/mpiexec.other") == "mpiexec.other"
    monkeypatch.setenv("PATH", str(tmp_path / "a"))
    assert tuning._as_typed(tmp_path / "b/mpiexec.other") == str(tmp_path / "b/mpiexec.other")


ALL = ("mpi/pingpong", "mpi/bandwidth", "mpi/exchange")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({}, Parts((), ALL)),
        ({"library": True}, Parts((), ())),
        ({"api": "shmem"}, Parts((), ())),
        ({"benchmarks": ("mpi/bcast",)}, Parts(("mpi/bcast",), ())),
        ({"benchmarks": ("bcast",)}, Parts(("bcast",), ())),
        ({"benchmarks": ("mpi/pingpong",), "resume": False}, Parts(None, ALL[:1])),
        ({"benchmarks": ("mpi/b*",)}, Parts(("mpi/b*",), ("mpi/bandwidth",))),
        ({"benchmarks": ("mpi/bcast", "mpi/pingpong")}, Parts(("mpi/bcast",), ALL[:1])),
        # What nothing has is refused by those who know what there is.
        ({"benchmarks": ("mpi/pinpong",)}, Parts(("mpi/pinpong",), ())),
    ],
)
def test_names_are_of_collectives_or_of_messages(changes, parts):
    assert divide(asked(**changes)) == parts


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"library": True}, "--library chooses algorithms of collectives, mpi/pingpong has none"),
        ({"resume": True}, "--resume: settings are raced from the start"),
    ],
)
def test_settings_have_neither_algorithms_nor_a_race_to_go_on_with(changes, said):
    with pytest.raises(UserError, match=said):
        divide(asked(benchmarks=("mpi/pingpong",), **{"resume": False, **changes}))
