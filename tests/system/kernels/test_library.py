"""Libraries that are here, by name, each file once."""

from pathlib import Path

import pytest

from leadline.site.software.library import Blas, Folders, find_libraries


@pytest.fixture
def place(machine, tmp_path):
    """Makes files below a root, and says where to look."""

    def make(*files: str, **links: str) -> Folders:
        for name in files:
            file = tmp_path / "root" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        for link, target in links.items():
            (tmp_path / "root" / link.replace("__", "/").replace("_so", ".so")).symlink_to(
                tmp_path / "root" / target
            )
        folders = dict.fromkeys(file.parent for file in (tmp_path / "root").rglob("*"))
        return Folders(paths=tuple(sorted(folders)), environment={})

    return make


def names(folders: Folders) -> list[str]:
    return list(find_libraries(["blas"], folders))


def test_each_file_is_one_library_whatever_links_lead_to_it(place):
    folders = place(
        "lib/openblas-pthread/libopenblasp-r0.3.21.so",
        "lib/blas/libblas.so.3.11.0",
        lib__libopenblas_so="lib/openblas-pthread/libopenblasp-r0.3.21.so",
    )
    found = find_libraries(["blas"], folders)
    assert sorted(library.path.name for library in found.values()) == [
        "libblas.so.3.11.0",
        "libopenblasp-r0.3.21.so",
    ]
    assert "reference-3.11.0" in found


def test_what_another_blas_installs_as_libblas_is_not_the_reference(place):
    assert names(place("lib/openblas-pthread/libblas.so.3", "lib/atlas/libblas.so.3.10.3")) == [
        "atlas-3.10.3"
    ]


def test_the_folder_tells_builds_apart(place):
    folders = place("lib/blis-openmp/libblis.so.4", "lib/blis-serial/libblis.so.4")
    assert names(folders) == ["blis-openmp", "blis-serial"]


def test_two_of_one_name_are_numbered(place):
    folders = place("one/libopenblas.so.0", "two/libopenblas.so.0")
    assert names(folders) == ["openblas", "openblas-2"]


def test_without_a_shim_nothing_is_looked_for(place):
    assert not find_libraries([], place("lib/libopenblas.so.0"))


def test_a_version_is_asked_of_the_library_itself(machine):
    # The C library is on every machine, and says its version.
    kind = Blas(name="c", files=r"/libc\.so\.6$", asks=("gnu_get_libc_version",))
    assert "c-2." in " ".join(library.name for library in kind.find(Folders.here()))


def test_an_interpreter_that_is_no_library_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: str(tmp_path))
    found = find_libraries(["numpy"], Folders(paths=(), environment={}))
    (library,) = found.values()
    assert library.name.startswith("numpy-")
    assert "no shared library (libpython3" in library.lacking
    assert Path(library.definitions["LEADLINE_PACKAGES"]).joinpath("numpy").is_dir()
