import doctest

import pytest

from leadline.core.errors import UserError
from leadline.measure.build import cmake
from leadline.model.installation import Installation


def test_the_documented_definitions():
    assert doctest.testmod(cmake) == (0, 2)


def test_openshmem_brings_its_own_compiler():
    there = Installation(
        name="o", family="openmpi", version="4", prefix="/o", source="", oshcxx="/o/oshc++"
    )
    assert cmake.configuration(there, "shmem")[1:] == [
        "-DLEADLINE_API=shmem",
        "-DLEADLINE_WHOLE=ON",
        "-DCMAKE_CXX_COMPILER=/o/oshc++",
    ]


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (
            "[1/2] x\nx.cpp:1:2: fatal error: mpi.h: No such\nx.cpp:3:4: error: b",
            "x.cpp:1:2: fatal",
        ),
        ("ld: x.o: undefined reference to `MPI_Init'\nninja: stopped", "ld: x.o: undefined"),
        (
            "-- x\nCMake Error at C.cmake:2 (message):\n  Could NOT find MPI\n  (missing: C)\n\n\n"
            "-- Configuring incomplete",
            "Could NOT find MPI (missing: C)",
        ),
        ("Killed\n\n", "Killed"),
        ("", "CMake ended without a word"),
    ],
)
def test_the_first_error_says_what_is_wrong(output, error):
    assert cmake.first_error(output).startswith(error)


@pytest.fixture
def folder(tmp_path):
    """An empty search path to which compilers can be added."""

    def add(name):
        (tmp_path / name).touch(mode=0o755)

    return tmp_path, add


def test_a_missing_compiler_names_the_packages(folder):
    path, add = folder
    with pytest.raises(UserError, match=r"no C\+\+ compiler: install g\+\+ .*gcc-c\+\+ .*Spack"):
        cmake.require_compilers({"PATH": str(path)})
    add("g++")
    with pytest.raises(UserError, match=r"no C compiler: install gcc"):
        cmake.require_compilers({"PATH": str(path)})
    add("cc")
    cmake.require_compilers({"PATH": str(path)})


def test_a_chosen_compiler_counts_and_must_exist(folder):
    path, add = folder
    add("icpx")
    add("cc")
    environment = {"PATH": str(path), "CXX": "icpx -fast"}
    assert cmake.compilers(environment)["C++ compiler"] == str(path / "icpx")
    with pytest.raises(UserError, match="CXX=nonsense: not found"):
        cmake.require_compilers({**environment, "CXX": "nonsense"})


def test_a_missing_tool_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(
        UserError, match=r"ninja is not on the PATH: pip install 'leadline\[build\]'"
    ):
        cmake.tool("ninja")
