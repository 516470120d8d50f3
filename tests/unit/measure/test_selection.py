"""Which installation measures what, and what is said of those that cannot."""

import pytest

from leadline.core.errors import UserError
from leadline.measure.build.probe import Probe
from leadline.measure.plan import selection
from leadline.model.installation import Installation
from probes import made_benchmark, made_description, made_installation

MPI = {"mpicc": "/mpicc", "mpiexec": "/mpiexec"}
WHOLE = made_installation(name="whole", **MPI)
BOTH = made_installation(name="both", **MPI, oshcc="/oshcc", oshrun="/oshrun")
WRAPPER = made_installation(name="wrapper", mpicc="/mpicc")


def probe(_installation, api, _say):
    description = made_description(made_benchmark(f"{api}/thing", api=api), api=api)
    return Probe(description=description)


@pytest.fixture
def chosen(monkeypatch):
    there: list[Installation] = []
    monkeypatch.setattr(selection, "choose", lambda names, simulated: there)
    monkeypatch.setattr(selection, "find_installations", lambda: [WHOLE, BOTH])
    monkeypatch.setattr(selection, "probe_for", probe)
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
    def built(installation, api, say):
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


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("shmem/thing", {"whole": ["mpi"], "both": ["shmem"]}),
        ("*", {"whole": ["mpi"], "both": ["shmem"]}),
        ("mpi/*", {"whole": ["mpi"]}),
    ],
)
def test_without_a_choice_others_help_out_where_the_first_lacks_a_family(chosen, name, found):
    chosen.append(WHOLE)
    probe_sets = selection.available_probes((name,), (), print)
    assert {each.installation.name: sorted(each.probes) for each in probe_sets} == found
    assert list(selection.omissions((name,), (), probe_sets)) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [("mpi/thnig", r"did you mean mpi/thing\?"), ("mpi/x*", r"no benchmark 'mpi/x\*'")],
)
def test_what_a_known_family_lacks_is_refused(chosen, name, told):
    chosen.append(WHOLE)
    with pytest.raises(UserError, match=told):
        selection.available_probes((name,), (), print)


def test_simulated_ranks_are_measured_only_where_they_are_named(chosen, monkeypatch):
    fake = made_installation("fake", name="fake")
    monkeypatch.setattr(selection, "find_installations", lambda: [WHOLE, fake])
    chosen.append(WHOLE)
    assert [o.installation.name for o in selection.available_probes(("*",), (), print)] == ["whole"]
    found = selection.available_probes(("*", "fake/thing"), (), print)
    assert [probe_set.installation.name for probe_set in found] == ["whole", "fake"]


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
    assert said == ["left out: the shmem probe of both: not built: `leadline run --list --build`"]
    said.clear()
    assert selection.listed_probes(("shmem/thing",), ("both",), said.append)
    assert said == [
        "left out: the shmem probe of both: not built: `leadline run --list --build --mpi both`"
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
    names = sorted(name for each in found for name in each.benchmarks)
    assert names == ["mpi/thing", "shmem/thing"]
    assert said == []
