import json

import pytest
from click.testing import CliRunner
from replaced import replace_everywhere

from leadline import cli
from leadline.site.mpi import choice
from leadline.site.mpi.sources import Places

PROMISED = {"name", "family", "version", "mpicc", "mpicxx", "mpiexec", "oshcc", "oshrun"}


@pytest.fixture
def leadline(machine, monkeypatch):
    machine.openmpi("o", "4.1.4")
    machine.mpich("m", "4.0.2")
    monkeypatch.setenv("LEADLINE_HOME", str(machine.root / "home"))
    places = machine.places("o/bin:m/bin")
    monkeypatch.setattr(Places, "here", classmethod(lambda cls: places))
    return lambda *words: CliRunner().invoke(cli.group, ["mpi", *words])


def test_json_has_the_promised_keys_and_null_where_there_is_none(leadline):
    told = json.loads(leadline("--json").stdout)
    openmpi, mpich = told["installations"]
    assert list(told) == ["installations"]
    assert not PROMISED - openmpi.keys()
    assert not PROMISED - mpich.keys()
    assert (mpich["oshcc"], mpich["oshrun"]) == (None, None)
    assert openmpi["oshcc"].endswith("/o/bin/oshcc")
    assert (openmpi["default"], mpich["default"]) == (True, False)


def test_the_fake_is_listed_on_request_only(leadline):
    assert "\n fake " not in leadline().stdout
    assert "\n fake " in leadline("--all").stdout


def test_people_get_a_table_with_the_default_marked(leadline, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert leadline("default", "mpich").stdout == "mpich-4.0.2 is the default\n"
    rows = [line.split() for line in leadline().stdout.splitlines() if "PATH" in line]
    assert [row[:5] for row in rows] == [
        ["openmpi-4.1.4", "ucx", "ofi", "yes", "PATH"],
        ["mpich-4.0.2", "(default)", "ucx", "-", "PATH"],
    ]
    assert [each.name for each in choice.choose([])] == ["mpich-4.0.2"]


def test_fresh_searches_again(leadline, monkeypatch):
    asked = []
    replace_everywhere(
        monkeypatch,
        "leadline.site.mpi.discovery.find_installations",
        lambda fresh: asked.append(fresh) or [],
    )
    leadline("--fresh")
    leadline()
    assert asked == [True, False]


def test_a_wrong_name_is_one_line_and_status_2(leadline, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["mpi", "default", "lam"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("leadline: no MPI 'lam': there is openmpi-4.1.4")
