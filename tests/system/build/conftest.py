"""A small project in the place of the probes' sources."""

import shutil
from pathlib import Path

import pytest

from leadline.model.installation import Installation

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C CXX)
if(LEADLINE_RUNTIME)
  add_subdirectory(runtime)
else()
  add_subdirectory(probes)
endif()
"""
SUBFOLDER = "add_executable(leadline-probe-${LEADLINE_API} main.cpp)\n"
RUNTIME = """set(engine leadline leadline-engine)
set(observer leadline-explain leadline-observer)
set(libraries ${${LEADLINE_RUNTIME}})
foreach(name IN LISTS libraries)
  add_library(${name} SHARED library.cpp)
endforeach()
set_target_properties(
  ${libraries}
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/watch.cpp "int main() {}")
add_executable(leadline-watch ${CMAKE_CURRENT_BINARY_DIR}/watch.cpp)
set_target_properties(leadline-watch PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
"""
MAIN = r"""#include <cstdio>
int main() {
  std::puts(R"({"format": 1, "transport": "fake", "benchmarks": [], "settings": [],)"
            R"("sample": [["seconds", "<f8"]], "flags": ["NAME"]})");
}
"""


class Project:
    """The sources at `root`; a program's one flag is the name that tells versions apart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "probes").mkdir(parents=True)
        (root / "algorithms").mkdir()
        (root / "CMakeLists.txt").write_text(CMAKE)
        (root / "probes/CMakeLists.txt").write_text(SUBFOLDER)
        (root / "runtime").mkdir()
        (root / "runtime/CMakeLists.txt").write_text(RUNTIME)
        (root / "runtime/library.cpp").write_text("int first;")
        self.write("first")

    @property
    def main(self) -> Path:
        return self.root / "probes/main.cpp"

    def write(self, name: str) -> None:
        self.main.write_text(MAIN.replace("NAME", name))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "checkout")


@pytest.fixture
def there(tmp_path: Path) -> Installation:
    """Return an MPI that nobody knows, of which only the wrapper counts."""
    wrapper = tmp_path / "mpicc"
    wrapper.write_text("one")
    return Installation(
        name="m-1", family="m", version="1", prefix="/m", source="PATH",
        mpicc=str(wrapper), mpiexec=str(wrapper),
    )  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    if not (shutil.which("c++") and shutil.which("cc")):
        pytest.skip("no compiler: install g++")
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
