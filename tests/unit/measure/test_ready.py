"""What the wheel has ready is taken; what it has not is built, where that can be."""

import pytest

from leadline.core import paths, shipped
from leadline.core.errors import UserError
from leadline.measure.build import abi, cache, observer_for
from leadline.measure.build.abi import LOADER, Abi, base_spec
from leadline.measure.build.probe import described_probe
from leadline.model.installation import Installation
from leadline.site.mpi.library_words import said_macros


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """The folder of a package with one ABI ready, beside its sources."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    for variable in ("CC", "CXX", "CXXFLAGS", "LDFLAGS"):
        monkeypatch.delenv(variable, raising=False)
    package = tmp_path / "leadline"
    for name in (f"base/{LOADER}", "base/harness.so", "mpich-4/abi.so", "mpich-4/mpi.so"):
        file = package / "_built/probes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.setattr(cache, "built_folder", lambda: shipped.built_folder(package))
    monkeypatch.setattr(cache, "source_folder", lambda: package / "_sources")
    return package


def refuse(*_):
    raise AssertionError("nothing is to be built")


def test_what_is_ready_is_not_built(wheel, monkeypatch):
    monkeypatch.setattr(abi, "build_once", refuse)
    base = base_spec(wheel / "_sources", (LOADER, "harness"))
    for _ in range(2):
        folder = abi.build(base, print)
        assert folder == paths.home() / "ready/probes/base"
        assert {each.name for each in folder.iterdir()} == {LOADER, "harness.so"}
    parts = Abi("mpich-4", "").spec(wheel / "_sources", ("abi", "mpi"))
    assert abi.build(parts, print) == paths.home() / "ready/probes/mpich-4"


def test_other_sources_and_compilers_of_choice_are_built_with(wheel, tmp_path, monkeypatch):
    assert cache.ready(base_spec(tmp_path, (LOADER,))) is None
    spec = base_spec(wheel / "_sources", (LOADER,))
    assert cache.ready(spec)
    assert cache.ready(base_spec(wheel / "_sources", (LOADER, "new"))) is None
    monkeypatch.setenv("CXXFLAGS", "-march=native")
    assert cache.ready(spec) is None


def test_without_a_header_what_is_missing_is_one_line(wheel):
    spec = Abi("mpich-3", "").spec(wheel / "_sources", ("abi",))
    with pytest.raises(UserError, match=r"MPICH's ABI, MPI 3 is not ready, and there is no mpi\.h"):
        abi.build(spec, print)
    assert not (paths.probes() / "mpich-3").exists()


@pytest.mark.parametrize(
    "said,macros",
    [
        ("3 1 Open MPI v4.1.4, package: ...", {"OMPI_MAJOR_VERSION": "4", "OMPI_MINOR_VERSION": "1",
                                               "OMPI_RELEASE_VERSION": "4"}),
        ("4 1 Intel(R) MPI Library 2021.19 for Linux* OS", {"I_MPI_VERSION": "2021.19"}),
        ("3 1 MVAPICH2 Version      :\t2.3.7", {"MVAPICH2_VERSION": "2.3.7"}),
        ("4 0 something else", {}),
    ],
)  # fmt: skip
def test_a_library_says_what_its_header_would(said, macros):
    found = dict(said_macros(said))
    standard = dict(zip(("MPI_VERSION", "MPI_SUBVERSION"), said.split()[:2], strict=True))
    assert found == {**standard, **macros}


def test_an_mpi_without_header_has_what_is_measured(wheel):
    there = Installation(
        name="m", family="mpich", version="4.0.2", prefix="/usr", source="PATH", mpicc="mpicc",
        mpiexec="mpiexec", library="/usr/lib/libmpich.so.12", standard="4.0",
    )  # fmt: skip
    assert described_probe(there, "mpi").description.benchmarks


def test_all_builds_of_a_folder_have_the_headers_of_the_first_that_asked(tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError

    first, second = tmp_path / "first", tmp_path / "second"
    folder = tmp_path / "probes/mpich-4"
    for each in (first, second):
        each.mkdir()
        (each / "mpi.h").touch()
        assert abi.common_headers(folder, str(each)) == str(first)
    # An MPI without headers is served, too.
    assert abi.common_headers(folder, "") == str(first)
    (first / "mpi.h").unlink()
    assert abi.common_headers(folder, "") == ""
    assert abi.common_headers(folder, str(second)) == str(second)
    (chosen,) = folder.parent.iterdir()
    assert chosen.name == ".mpich-4.headers"
    chosen.unlink()
    monkeypatch.setattr("pathlib.Path.hardlink_to", no_links)
    assert abi.common_headers(folder, str(second)) == str(second)
    assert chosen.read_text() == str(second)
    chosen.write_bytes(b"\xff\0")
    assert abi.common_headers(folder, str(second)) == str(second)


def test_a_home_that_would_divide_a_list_of_libraries_is_refused(wheel, tmp_path, monkeypatch):
    cache.require_plain(" :")
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "a:b"))
    with pytest.raises(UserError, match=r"a:b: a colon in the name of a folder would change"):
        abi.build(base_spec(wheel / "_sources", (LOADER,)), print)
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "my lab"))
    there = Installation(
        name="m", family="mpich", version="5", prefix="/m", source="", mpicc="/m", mpiexec="/m"
    )
    with pytest.raises(UserError, match=r"my lab: a blank in the name .* set LEADLINE_HOME"):
        observer_for(there, print)


@pytest.mark.parametrize(
    ("variables", "home"),
    [
        ({"LEADLINE_HOME": "~nobody-of-this-name/x"}, None),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/leadline"),
        ({"XDG_DATA_HOME": "/data", "HOME": "/h"}, "/data/leadline"),
    ],
)
def test_where_things_are_is_absolute_or_refused(monkeypatch, variables, home):
    monkeypatch.delenv("LEADLINE_HOME", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if home is None:
        with pytest.raises(UserError, match="set LEADLINE_HOME"):
            paths.home()
    else:
        assert str(paths.home()) == home
