"""Which MPI a program loads, and whether it is the one that it was built with."""

import os
import shutil
import subprocess
import sys

import pytest

from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations
from leadline.site.software.dependencies import of_process, of_program
from leadline.site.software.host import Host

CC = shutil.which("cc")
pytestmark = pytest.mark.skipif(not CC, reason="no C compiler")


def cc(*words):
    subprocess.run([CC, *map(str, words)], check=True, capture_output=True)


def mpi(program, installations=None, **variables):
    here = Host({**os.environ, **variables})
    if installations is not None:
        here.installations = installations
    items = [item for item in of_program(str(program), here).items if item.kind == "MPI"]
    return items[0] if items else None


@pytest.fixture
def make(tmp_path):
    """Make an installation with a library of one function, and a wrapper like the real ones."""

    def make(family, version, symbol, soname):
        prefix = tmp_path / f"{family}-{version}"
        (prefix / "lib").mkdir(parents=True)
        (prefix / "bin").mkdir()
        source = tmp_path / "library.c"
        source.write_text(f"int {symbol} = 1; int MPI_Init(int *c, char ***v) {{ return 0; }}\n")
        cc("-shared", "-fPIC", source, f"-Wl,-soname,{soname}", "-o", prefix / "lib" / soname)
        # As the wheels have it: a linker script where others have a link.
        (prefix / "lib/libmpi.so").write_text(f"INPUT({soname})\n")
        wrapper = prefix / "bin/mpicc"
        wrapper.write_text(f"#!/bin/sh\necho cc -I{prefix}/include -L{prefix}/lib -lmpi\n")
        wrapper.chmod(0o755)
        return Installation(
            name=f"{family}-{version}", family=family, version=version, prefix=str(prefix),
            source="PATH", mpicc=str(wrapper), mpiexec=str(wrapper),
        )  # fmt: skip

    return make


@pytest.fixture
def build(tmp_path):
    def build(name, installation, *flags, symbol="MPIR_Dup_fn"):
        source = tmp_path / "main.c"
        source.write_text(
            f"#include <stdio.h>\nextern int {symbol}; int MPI_Init(int *, char ***);\n"
            'int main(int c, char **v) { puts("1"); fflush(stdout); getchar();'
            f" return MPI_Init(&c, &v) + {symbol}; }}\n"
        )
        cc(source, "-o", tmp_path / name, f"-L{installation.prefix}/lib", "-lmpi", *flags)
        return tmp_path / name

    return build


def test_the_one_that_its_path_leads_to(make, build):
    one, two = (make("mpich", version, "MPIR_Dup_fn", "libmpi.so.12") for version in ("4.0", "5.0"))
    program = build("program", one, f"-Wl,--enable-new-dtags,-rpath,{one.prefix}/lib")
    item = mpi(program, [two, one])
    assert (item.name, item.version, item.detail["same"]) == ("mpich", "4.0", "yes")
    item = mpi(program, [two, one], LD_LIBRARY_PATH=f"{two.prefix}/lib")
    assert (item.version, item.detail["same"]) == ("5.0", "no")
    assert item.detail["built with"] == "mpich-4.0"


def test_a_program_that_names_only_the_library_does_not_say_which(make, build):
    one, two = (make("mpich", version, "MPIR_Dup_fn", "libmpi.so.12") for version in ("4.0", "5.0"))
    program = build("program", one)
    item = mpi(program, [one, two], LD_LIBRARY_PATH=f"{two.prefix}/lib")
    assert (item.version, item.detail["same"]) == ("5.0", "unknown")
    assert item.detail["built with"] == "mpich-4.0, mpich-5.0"


def test_a_process_is_told_by_the_name_of_its_program(make, build):
    own = make("mpich", "4.0", "MPIR_Dup_fn", "libmpi.so.12")
    program = build("program", own, f"-Wl,-rpath,{own.prefix}/lib")
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        (item,) = (each for each in of_process(process.pid).items if each.kind == "MPI")
    finally:
        process.communicate(b"\n")
    assert (item.detail["asked by"], item.path) == (str(program), f"{own.prefix}/lib/libmpi.so.12")


def test_another_family_in_the_place_of_the_library(make, build):
    """Somebody has put a library under another's name."""
    one = make("openmpi", "5.0", "ompi_mpi_comm_world", "libmpi.so.40")
    other = make("mpich", "4.0", "MPIR_Dup_fn", "libmpi.so.40")
    program = build("program", one, symbol="ompi_mpi_comm_world")
    item = mpi(program, [one, other], LD_LIBRARY_PATH=f"{other.prefix}/lib")
    assert (item.name, item.detail["same"], item.detail["built with"]) == (
        "mpich", "no", "openmpi-5.0")  # fmt: skip


def test_an_mpi_that_is_not_listed_is_known_by_its_symbol(make, build):
    own = make("openmpi", "5.0", "ompi_mpi_comm_world", "libmpi.so.40")
    flags = f"-Wl,-rpath,{own.prefix}/lib"
    item = mpi(build("program", own, flags, symbol="ompi_mpi_comm_world"), [])
    assert (item.name, item.detail["same"], item.detail["built with"]) == (
        "openmpi", "unknown", "unknown")  # fmt: skip


def test_an_mpi_that_is_not_found(make, build):
    item = mpi(build("program", make("mpich", "4.0", "MPIR_Dup_fn", "libmpi.so.12")), [])
    assert (item.version, item.path) == ("not found", "")


def test_a_library_that_only_is_called_like_an_mpi(make, build, tmp_path):
    own = make("other", "1", "something", "libmpi_own.so.1")
    source = tmp_path / "own.c"
    source.write_text("int something = 2;\n")
    cc("-shared", "-fPIC", source, "-Wl,-soname,libmpi_own.so.1", "-o",
       f"{own.prefix}/lib/libmpi.so")  # fmt: skip
    shutil.copy(f"{own.prefix}/lib/libmpi.so", f"{own.prefix}/lib/libmpi_own.so.1")
    main = tmp_path / "only.c"
    main.write_text("extern int something; int main(void) { return something; }\n")
    flags = (f"-L{own.prefix}/lib", "-lmpi", f"-Wl,-rpath,{own.prefix}/lib")
    cc(main, "-o", tmp_path / "only", *flags)
    assert mpi(tmp_path / "only", []) is None


def test_an_extension_of_a_process_asks_and_not_its_program(make, tmp_path):
    """As mpi4py's, which Python loads; and a second MPI beside the first is told."""
    one, two = (make("mpich", version, "MPIR_Dup_fn", "libmpi.so.12") for version in ("4.0", "5.0"))
    names = []
    for installation in (one, two):
        source = tmp_path / "extension.c"
        source.write_text("extern int MPIR_Dup_fn; int get(void) { return MPIR_Dup_fn; }\n")
        names.append(str(tmp_path / f"{installation.name}.so"))
        cc("-shared", "-fPIC", source, "-o", names[-1], f"-L{installation.prefix}/lib", "-lmpi",
           f"-Wl,-rpath,{installation.prefix}/lib")  # fmt: skip
    second = f"{two.prefix}/lib/libmpich.so.12"
    shutil.move(f"{two.prefix}/lib/libmpi.so.12", second)
    loads = "; ".join(f"ctypes.CDLL({name!r})" for name in (names[0], second))
    code = f"import ctypes; {loads}; print(1, flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.stdout.readline()
    try:
        software = of_process(process.pid)
    finally:
        process.communicate(b"\n")
    found = {item.path: item.detail for item in software.items if item.kind == "MPI"}
    assert found[f"{one.prefix}/lib/libmpi.so.12"]["asked by"] == names[0]
    assert (found[second]["asked by"], found[second]["same"]) == ("", "unknown")
    assert any("2 MPIs are loaded" in line for line in software.remarks)


@pytest.mark.parametrize("family", ["mpich", "openmpi", "intel", "simgrid"])
def test_programs_of_the_mpis_that_are_here(family, tmp_path):
    """Each wrapper builds a program, which then loads its MPI."""
    real = [each for each in find_installations() if each.family == family and each.apis]
    if not real:
        pytest.skip(f"no {family} here")
    source = tmp_path / "main.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char **v)\n"
        "{ MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n"
    )
    for installation in real:
        environment = {**os.environ, **installation.environment}
        program = tmp_path / installation.name
        subprocess.run([installation.mpicc, source, "-o", program], env=environment, check=True,
                       capture_output=True)  # fmt: skip
        item = mpi(program, **installation.environment)
        assert (item.name, item.version) == (family, installation.version)
        assert item.detail["same"] in ("yes", "unknown")
        assert installation.name in item.detail["built with"].split(", ")
