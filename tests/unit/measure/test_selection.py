"""Which installation measures what, and what is said of those that cannot."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build.probe import Probe
from leadline.measure.plan import selection
from leadline.model.description import Benchmark, Description, Processes
from leadline.model.installation import Installation


def installation(name: str, **programs: str) -> Installation:
    return Installation(
        name=name, family="mpich", version="1", prefix="/", source="test", **programs
    )


WHOLE = installation("whole", mpicc="/mpicc", mpiexec="/mpiexec")
BOTH = installation("both", mpicc="/mpicc", mpiexec="/mpiexec", oshcc="/oshcc", oshrun="/oshrun")
WRAPPER = installation("wrapper", mpicc="/mpicc")


def probe(_installation: Installation, api: str, _say: object) -> Probe:
    benchmark = Benchmark(
        name=f"{api}/thing",
        summary="",
        axes=(),
        processes=Processes(),
        series=(),
        api=api,
        start="",
    )
    described = Description(
        format=1,
        api=api,
        benchmarks=(benchmark,),
        settings=(),
        sample=(),
        flags=(),
    )
    return Probe(path=Path("/probe"), description=described)


@pytest.fixture
def chosen(monkeypatch):
    there: list[Installation] = []
    monkeypatch.setattr(selection, "choose", lambda names, simulated: there)
    monkeypatch.setattr(selection, "find_installations", lambda: [WHOLE, BOTH])
    monkeypatch.setattr(selection, "probe_for", probe)
    monkeypatch.setattr(selection, "built_probe", lambda *_: None)
    return there


def test_an_installation_without_a_launcher_is_refused(chosen):
    chosen.append(WRAPPER)
    with pytest.raises(UserError, match=r"wrapper has .* no launcher .*`leadline mpi` lists"):
        selection.available_probes(("mpi/thing",), ("wrapper",), print)


def test_among_others_it_is_left_out_with_a_word(chosen):
    chosen.extend([WRAPPER, WHOLE])
    found = selection.available_probes(("mpi/thing",), ("all",), print)
    assert [probe_set.installation.name for probe_set in found] == ["whole"]
    said = list(selection.omissions(("mpi/thing",), ("all",), found))
    assert len(said) == 1 and said[0].startswith("wrapper is left out: ")


def test_of_all_those_are_left_out_whose_probes_cannot_be_built(chosen, monkeypatch):
    def built(installation: Installation, api: str, say: object) -> Probe:
        if installation is WHOLE:
            raise UserError("mpicxx: not found")
        return probe(installation, api, say)

    monkeypatch.setattr(selection, "probe_for", built)
    chosen.extend([WHOLE, BOTH])
    said: list[str] = []
    found = selection.available_probes(("mpi/thing",), ("all",), said.append)
    assert [probe_set.installation.name for probe_set in found] == ["both"]
    assert said == ["whole is left out: mpicxx: not found"]
    assert list(selection.omissions(("mpi/thing",), ("all",), found)) == []
    with pytest.raises(UserError, match="mpicxx: not found"):
        selection.available_probes(("mpi/thing",), ("whole", "both"), said.append)
    chosen[:] = [WHOLE, WHOLE]
    with pytest.raises(UserError, match="no MPI of this machine can be measured"):
        selection.available_probes(("mpi/thing",), ("all",), said.append)


def test_what_an_installation_lacks_is_said(chosen):
    chosen.extend([WHOLE, BOTH])
    names = ("mpi/thing", "shmem/thing")
    found = selection.available_probes(names, ("all",), print)
    assert [sorted(probe_set.probes) for probe_set in found] == [["mpi"], ["mpi", "shmem"]]
    said = list(selection.omissions(names, ("all",), found))
    assert said == ["shmem/thing is not measured with whole, whose probes lack it"]


def test_without_a_choice_another_installation_helps_out(chosen):
    chosen.append(WHOLE)
    found = selection.available_probes(("shmem/thing",), (), print)
    assert [probe_set.installation.name for probe_set in found] == ["whole", "both"]
    assert list(selection.omissions(("shmem/thing",), (), found)) == []


def test_a_misspelt_name_of_a_known_family_builds_nothing_else(chosen):
    chosen.append(WHOLE)
    with pytest.raises(UserError, match=r"did you mean mpi/thing\?"):
        selection.available_probes(("mpi/thnig",), (), print)


def test_a_pattern_means_what_every_transport_has(chosen):
    chosen.append(WHOLE)
    found = selection.available_probes(("*",), (), print)
    assert [(probe_set.installation.name, sorted(probe_set.probes)) for probe_set in found] == [
        ("whole", ["mpi"]),
        ("both", ["shmem"]),
    ]
    assert [probe_set.named("*") for probe_set in found] == [["mpi/thing"], ["shmem/thing"]]


def test_a_pattern_of_a_known_family_builds_nothing_else(chosen):
    chosen.append(WHOLE)
    found = selection.available_probes(("mpi/*",), (), print)
    assert [probe_set.installation.name for probe_set in found] == ["whole"]


def test_simulated_ranks_are_measured_only_where_they_are_named(chosen, monkeypatch):
    fake = Installation(name="fake", family="fake", version="1", prefix="", source="test")
    monkeypatch.setattr(selection, "find_installations", lambda: [WHOLE, fake])
    chosen.append(WHOLE)
    assert [o.installation.name for o in selection.available_probes(("*",), (), print)] == ["whole"]
    found = selection.available_probes(("*", "fake/thing"), (), print)
    assert [probe_set.installation.name for probe_set in found] == ["whole", "fake"]


def test_a_pattern_that_matches_nothing_is_refused(chosen):
    chosen.append(WHOLE)
    with pytest.raises(UserError, match=r"no benchmark 'mpi/x\*'"):
        selection.available_probes(("mpi/x*",), (), print)


def test_a_list_builds_nothing_and_says_how_to_build_what_it_leaves_out(chosen, monkeypatch):
    def build(*_):
        raise AssertionError("a list builds no probe")

    monkeypatch.setattr(selection, "probe_for", build)
    built = {("both", "mpi")}
    monkeypatch.setattr(
        selection,
        "described_probe",
        lambda there, api: probe(there, api, print) if (there.name, api) in built else None,
    )
    chosen.append(BOTH)
    said = []
    found = selection.listed_probes(("*",), (), said.append)
    assert [sorted(each.probes) for each in found] == [["mpi"]]
    assert said == ["left out: the shmem probe of both: not built: `leadline benchmarks --build`"]
    said.clear()
    assert selection.listed_probes(("shmem/thing",), ("both",), said.append)
    assert said == [
        "left out: the shmem probe of both: not built: `leadline benchmarks --build --mpi both`"
    ]
    built.add(("both", "shmem"))
    said.clear()
    with pytest.raises(UserError, match="did you mean mpi/thing"):
        selection.listed_probes(("mpi/thnig",), ("both",), said.append)
    assert not said


def test_a_list_takes_what_another_installation_has_built(chosen, monkeypatch):
    monkeypatch.setattr(
        selection,
        "described_probe",
        lambda there, api: probe(there, api, print) if there is BOTH else None,
    )
    chosen.append(WHOLE)
    said = []
    found = selection.listed_probes(("*",), (), said.append)
    assert sorted(name for each in found for name in each.benchmarks) == [
        "mpi/thing",
        "shmem/thing",
    ]
    assert said == []
