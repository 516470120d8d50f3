"""Knobs of a plan: points and launches for each combination of values."""

from pathlib import Path

import msgspec
import pytest
from tests.unit.output.terminal.test_tables import figure, made_up

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command
from leadline.core.errors import UserError
from leadline.measure.knobs import known as every_knob
from leadline.measure.knobs.knob import Knob, Unsupported
from leadline.measure.run import preparation
from leadline.measure.run.preparation import describe_launches, write_launch_files
from leadline.model.hosts import Hosts
from leadline.model.job import Start
from leadline.model.plan import Entry, Plan
from leadline.store.folder import RunFolder
from probes import made_benchmark, made_description, made_probe_set


def canonical(text):
    if not text.isdigit():
        raise UserError("write a number")
    return str(int(text))


def apply(value, job, installation):
    if installation.name == "mute":
        raise Unsupported("it makes no sound")
    if value == "0":
        return job
    return msgspec.structs.replace(job, environment={**job.environment, "VOLUME": value})


VOLUME = Knob("volume", "how loud", "a number", canonical, apply)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(every_knob, "knobs", lambda: {"volume": VOLUME})


@pytest.fixture
def prepared(monkeypatch):
    """Prepare a plan on two made-up installations; returns what was said beside."""
    described = made_description(made_benchmark("some/thing", api="fake"), api="fake")
    made = [made_probe_set(described, name=name, family="fake") for name in ("loud", "mute")]

    def prepare(mpi, **knobs):
        probe_sets = [probe_set for probe_set in made if probe_set.installation.name in mpi]
        monkeypatch.setattr(preparation, "available_probes", lambda *_, **__: probe_sets)
        # It holds names to the sources, which know nothing of made-up benchmarks.
        monkeypatch.setattr(preparation, "check_plan", lambda plan: (None, Hosts()))
        monkeypatch.setattr(preparation, "omissions", lambda *_: ())
        plan = Plan(entries=(Entry(benchmarks=("some/thing",)),), knobs=knobs, mpi=mpi, launches=2)
        said = []
        return preparation.prepare(plan, said.append), said

    return prepare


def test_each_value_is_a_launch_of_its_own_in_every_round(prepared):
    found, said = prepared(("loud",), volume="default,07,7,9")
    assert [point.knobs["volume"] for point in found.points] == ["default", "7", "9"]
    rounds = [launch.knobs["volume"] for launch in found.launches]
    assert sorted(rounds[:3]) == sorted(rounds[3:]) == ["7", "9", "default"]
    environments = {
        launch.knobs["volume"]: launch.start_in(Path("o")).environment for launch in found.launches
    }
    assert environments == {"default": {}, "7": {"VOLUME": "7"}, "9": {"VOLUME": "9"}}
    assert said == []


def test_what_an_installation_lacks_is_left_out_and_said(prepared):
    found, said = prepared(("loud", "mute"), volume="default,7")
    assert {(p.mpi, p.knobs["volume"]) for p in found.points} == {
        ("loud", "default"), ("loud", "7"), ("mute", "default"),
    }  # fmt: skip
    assert [launch.launch for launch in found.launches] == list(range(6))
    assert said == ["left out: knob volume=7 with mute: it makes no sound"]


def test_values_that_come_to_the_same_job_are_measured_once(prepared):
    found, said = prepared(("loud",), volume="0,default,7")
    assert [point.knobs["volume"] for point in found.points] == ["0", "7"]
    assert {point.index for launch in found.launches for point in launch.points} == {0, 2}
    assert [launch.launch for launch in found.launches] == list(range(4))
    assert said == ["on 1x2 with loud volume=default would be the same as volume=0: measured once"]


def test_what_only_the_launcher_cannot_do_is_left_out_too(prepared, monkeypatch):
    def start_for(job, installation):
        if job.environment:
            raise Unsupported("quiet, please")
        return Start(argv=job.program)

    monkeypatch.setattr(preparation, "start_for", start_for)
    found, said = prepared(("loud",), volume="default,0,7")
    assert {launch.knobs["volume"] for launch in found.launches} == {"default"}
    assert "left out: quiet, please" in said


def test_a_job_is_made_once_for_all_rounds_of_a_launch(prepared, monkeypatch, tmp_path):
    made = []

    def start_for(job, installation):
        made.append(job)
        return Start(argv=(*job.hosts.prefix, *job.program), files={"hosts": job.folder})

    monkeypatch.setattr(preparation, "start_for", start_for)
    found, _ = prepared(("loud",), volume="default,7")
    folder = RunFolder(tmp_path)
    described = describe_launches(found, found.launches, folder)
    for each, launch in zip(found.launches, described, strict=True):
        start = write_launch_files(found, each, launch, folder)
        place = folder.launch_path(launch.launch)
        assert start.argv == launch.argv
        assert start.argv[1:] == ("--plan", f"{place}/plan.txt", "--out", str(place))
        assert (place / "hosts").read_text() == str(place)
    assert (len(found.launches), len(made)) == (4, 2)


def test_a_knob_that_nothing_here_has_is_an_error(prepared):
    with pytest.raises(UserError, match="knob volume=7 with mute: it makes no sound"):
        prepared(("mute",), volume="default,7")


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"volume": "x"}, "knob volume=x: write a number"),
        ({"taste": "1"}, "no knob 'taste': there is volume"),
    ],
)
def test_unknown_knobs_and_values_are_told(prepared, knobs, words):
    with pytest.raises(UserError, match=words):
        prepared(("loud",), **knobs)


def test_the_command_that_measures_again_names_the_knobs():
    points = [
        msgspec.structs.replace(figure("completion", 8, 1e-6), knobs={"volume": value})
        for value in ("default", "9")
    ]
    run, analysis = made_up(*points)
    told = command(Evidence(run, analysis.points, ()), [0, 1])
    assert told.endswith("--knob volume=default,9")
