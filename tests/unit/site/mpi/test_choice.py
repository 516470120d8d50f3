import sys

import pytest

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.site.mpi import choice
from leadline.site.mpi.discovery import FAKE


def installation(name, prefix="/usr"):
    family, _, version = name.partition("-")
    return Installation(
        name=name, family=family, version=version, prefix=prefix, source="PATH", mpicc=f"/{name}"
    )


THERE = [
    installation("openmpi-4.1.4"),
    installation("openmpi-5.0.11"),
    installation("mpich-5.0.2", prefix=sys.prefix),
    installation("mpich-5.0.2-2"),
    installation("intel-2021.18.1"),
    FAKE,
]


@pytest.fixture
def there(monkeypatch, tmp_path):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    found = list(THERE)
    monkeypatch.setattr(choice, "find_installations", lambda: found)
    return found


def names(installations):
    return [each.name for each in installations]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (["mpich-5.0.2"], ["mpich-5.0.2"]),
        (["openmpi-4", "intel"], ["openmpi-4.1.4", "intel-2021.18.1"]),
        (["intel", "all"], ["intel-2021.18.1", *names(THERE)[:4]]),
        (["fake"], ["fake"]),
        ([], ["mpich-5.0.2"]),
    ],
)
def test_a_name_means_itself_a_beginning_or_all(there, asked, meant):
    assert names(choice.choose(asked)) == meant


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("lam", r"'lam': there is openmpi-4.1.4, .*intel-2021.18.1 \(`leadline mpi install"),
        ("", r"no MPI ''"),
        ("mpihc", r"no MPI 'mpihc': did you mean mpich\?"),
        ("OpenMPI-4.1.3", r"did you mean openmpi-4.1.4\?"),
    ],
)
def test_a_name_that_means_none_is_one_clear_line(there, asked, says):
    with pytest.raises(UserError, match=says) as error:
        choice.choose([asked])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("asked", "meant", "others"),
    [
        ("mpich", "mpich-5.0.2", "mpich-5.0.2-2"),
        ("openmpi", "openmpi-5.0.11", "openmpi-4.1.4"),
        ("OpenMPI", "openmpi-5.0.11", "openmpi-4.1.4"),
    ],
)
def test_a_family_means_its_default_or_newest_and_says_so_once(there, capsys, asked, meant, others):
    choice.say_once.cache_clear()
    assert names(choice.choose([asked])) == [meant]
    assert choice.choose_one(asked).name == meant
    assert capsys.readouterr().err == f"leadline: --mpi {asked} takes {meant}, not {others}\n"
    choice.set_default("openmpi-4.1.4")
    assert choice.choose_one("openmpi").name == "openmpi-4.1.4"


def test_the_default_is_the_one_set_then_the_own_then_the_first(there):
    assert choice.default_installation().name == "mpich-5.0.2"
    assert choice.set_default("intel").name == "intel-2021.18.1"
    assert choice.default_installation().name == "intel-2021.18.1"
    there.remove(THERE[4])
    with pytest.raises(UserError, match=r"'intel-2021.18.1' is not there any more"):
        choice.default_installation()


def test_without_a_wheel_the_first_found_is_the_default(there):
    there.remove(THERE[2])
    assert choice.default_installation().name == "openmpi-4.1.4"


@pytest.mark.parametrize("asked", [[], ["all"]])
def test_no_mpi_at_all_says_how_to_get_one(there, asked):
    there[:] = [FAKE]
    with pytest.raises(UserError, match="leadline mpi install mpich"):
        choice.choose(asked)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("all", "no MPI 'all'"),
        ("fake", "the default cannot be 'fake'"),
        ("openmpi", "'openmpi' is ambiguous: name one of openmpi-4.1.4, openmpi-5.0.11$"),
    ],
)
def test_only_one_real_mpi_can_be_the_default(there, name, says):
    with pytest.raises(UserError, match=says):
        choice.set_default(name)


def test_a_default_that_cannot_be_kept_is_one_line(there, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "file"))
    with pytest.raises(UserError, match="cannot be kept"):
        choice.set_default("intel")
