import errno
import fcntl
import os
import re
import shutil
import threading
import time
from pathlib import Path

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.measure.build import cache, check_library, probe_for
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import FAKE


class Builder:
    """Asks for the whole probe of a project and remembers what was said."""

    def __init__(self, project, installation):
        self.project, self.installation = project, installation
        self.said = []
        self.built = []

    def __call__(self, **changed):
        installation = msgspec.structs.replace(self.installation, **changed)
        return probe_for(installation, "mpi", self.remember, self.project.root)

    def remember(self, line):
        (self.built if line.startswith("built ") else self.said).append(line)


@pytest.fixture
def build(project, home, there):
    return Builder(project, there)


def test_a_probe_is_built_once_and_described(build, home):
    probe = build()
    path = home / "probes/m-1/mpi/leadline-probe-mpi"
    assert probe.words == (str(path),)
    assert (probe.description.flags, probe.description.sample[0].dtype) == (("first",), "<f8")
    before = path.stat()
    assert build() == probe
    assert path.stat() == before
    assert build.said == ["building the mpi probe for m-1"]
    assert len(build.built) == 1
    assert re.fullmatch(r"built the mpi probe for m-1 in \d+ s", build.built[0])


@pytest.mark.timing
def test_nothing_changed_is_seen_quickly(build):
    build()
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        build()
        seconds.append(time.perf_counter() - started)
    assert min(seconds) < 0.01


def test_changed_sources_are_built_again(build, project):
    build()
    project.write("second")
    assert build().description.flags == ("second",)
    (project.root / "algorithms/new.cpp").touch()
    build()
    assert len(build.said) == 3


def test_touched_sources_with_the_same_content_are_not(build, project):
    build()
    os.utime(project.main, ns=(1, 1))
    build()
    assert len(build.said) == 1


def test_another_checkout_with_other_sources_is_built_in_the_same_place(build, project):
    build()
    moved = project.root.with_name("another")
    project.root.rename(moved)
    project.root = moved
    build()
    assert len(build.said) == 1
    project.write("second")
    assert build().description.flags == ("second",)


def test_another_installation_under_the_same_name_is_built_again(build):
    """So that a probe linked to one MPI is never handed out for another."""
    build()
    build(version="another")
    assert len(build.said) == 2
    build(prefix="/elsewhere")
    assert len(build.said) == 3


def test_a_changed_compiler_is_noticed(build, tmp_path, monkeypatch):
    build()
    compiler = tmp_path / "my-c++"
    compiler.write_text(f'#!/bin/sh\nexec {shutil.which("c++")} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    build()
    assert len(build.said) == 2
    os.utime(compiler, ns=(1, 1))
    build()
    assert len(build.said) == 3


def test_a_built_probe_needs_no_compiler(build, monkeypatch):
    probe = build()
    monkeypatch.setenv("PATH", "/nowhere")
    assert build() == probe


@pytest.mark.parametrize("file", ["stamp.json", "describe.json", "leadline-probe-mpi"])
def test_a_damaged_folder_is_built_again(build, file):
    folder = Path(build().words[0]).parent
    (folder / file).unlink()
    assert build().description.flags == ("first",)
    assert len(build.said) == 2


def test_a_program_that_was_cut_is_built_again(build):
    program = Path(build().words[0])
    size = program.stat().st_size
    os.truncate(program, size // 2)
    build()
    assert (len(build.built), program.stat().st_size) == (2, size)


def test_of_several_parts_that_were_cut_each_is_built_again(project, home, tmp_path):
    """The one that is asked for, and the other when its turn comes."""
    lists = "add_library(a SHARED main.cpp)\nadd_library(b SHARED main.cpp)\n"
    places = "set_target_properties(a b PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})\n"
    (project.root / "probes/CMakeLists.txt").write_text(lists + places)
    folder = home / "probes/two"

    def build(name):
        spec = cache.BuildSpec(
            what=name,
            folder=folder,
            source=project.root,
            parts=cache.PROBE,
            made_for="any",
            definitions=(),
            targets=(name,),
            files=(f"lib{name}.so",),
        )
        cache.build_once(spec, lambda: True, lambda: True, print)
        return (folder / f"lib{name}.so").stat().st_size

    sizes = [build(name) for name in "ab"]
    for name in "ab":
        os.truncate(folder / f"lib{name}.so", 100)
    assert [build(name) for name in "ab"] == sizes


def test_a_failed_build_is_one_line_with_the_first_error_and_the_log(build, project, home):
    build()
    project.main.write_text("int main() { return nonsense; }")
    with pytest.raises(UserError, match=r"main.cpp:1:21: error: .nonsense. was not decl") as error:
        build()
    log = home / "probes/m-1/mpi/build.log"
    assert str(error.value).endswith(f"(all of it: {log})")
    assert "\n" not in str(error.value)
    assert "nonsense" in log.read_text()
    with pytest.raises(UserError, match="nonsense"):
        build()


def test_a_probe_that_cannot_describe_itself_is_one_line(build, project):
    project.main.write_text("int main() {}")
    with pytest.raises(UserError, match="leadline-probe-mpi does not describe itself"):
        build()


def test_two_commands_do_not_build_into_each_other(build, home):
    (home / "probes/m-1").mkdir(parents=True)
    with (home / "probes/m-1/.mpi.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        thread = threading.Thread(target=build)
        thread.start()
        for _ in range(500):
            if build.said:
                break
            time.sleep(0.01)
        assert build.said[0].startswith("waiting for another leadline")
        assert not (home / "probes/m-1/mpi").exists()
    thread.join()
    assert build.said[1:] == ["building the mpi probe for m-1"]


@pytest.mark.parametrize(
    ("api", "says"),
    [("mpi", "fake has no MPI"), ("shmem", r"no OpenSHMEM \(oshcc"), ("tcp", "no tcp API")],
)
def test_an_api_that_is_not_there_is_one_line(home, api, says):
    with pytest.raises(UserError, match=says):
        probe_for(FAKE, api, str)
    assert not home.exists()


def test_an_installation_that_is_gone_is_one_line(home, project):
    gone = Installation(
        name="m", family="mpich", version="5", prefix="/m", source="PATH",
        mpicc="/m/bin/mpicc", mpiexec="/m/bin/mpiexec",
    )  # fmt: skip
    with pytest.raises(UserError, match=r"/m/bin/mpicc is gone: .*--fresh"):
        probe_for(gone, "mpi", str, project.root)


def test_a_home_that_cannot_be_written_is_one_line(build, home, monkeypatch):
    home.touch()
    with pytest.raises(UserError, match="set LEADLINE_HOME"):
        build()


def test_a_foreign_library_at_run_time_is_one_line():
    mine = Installation(name="mpich-5", family="mpich", version="5.0", prefix="", source="")
    check_library(mine, "MPICH Version:   5.0\nMPICH Release date: x")
    with pytest.raises(UserError, match=r"built for mpich-5 runs on another library \(Open MPI v4"):
        check_library(mine, "Open MPI v4.1.4, package: Debian OpenMPI")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_or_quota_is_one_line(build, monkeypatch, number):
    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(cache, "_write_stamp", full)
    with pytest.raises(UserError, match=r"no space left on device: .*free some space"):
        build()


def test_a_file_system_without_locks_builds_and_says_so(build, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(cache.fcntl, "flock", refuse)
    assert build().description.flags == ("first",)
    assert "No locks available" in build.said[0]


def test_an_option_behind_the_compiler_is_another_build(build, monkeypatch):
    monkeypatch.setenv("CXX", "c++ -O0")
    build()
    monkeypatch.setenv("CXX", "c++ -O1")
    build()
    build()
    assert len(build.built) == 2
