"""The other kinds, on a made-up machine and on this one."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from leadline.model.installation import Installation
from leadline.site.software.host import Host
from leadline.site.software.inventory import look
from leadline.site.software.kinds.building import find_compilers, find_tools
from leadline.site.software.kinds.libraries import find_blas, find_mpi
from leadline.site.software.kinds.platform import find_batch, find_modules


def found(find, here):
    return {(item.name, item.version): item for item in find(here)}


def test_a_tool_has_all_its_versions_and_one_default(machine):
    machine.program("a/cmake", "cmake version 3.29.2")
    machine.program("b/cmake", "cmake version 3.25.1")
    machine.program("b/python3.9", "Python 3.9.1")
    machine.program("b/python3", "Python 3.12.0rc1")
    here = machine.here("a", "b")
    items = found(find_tools, here)
    assert items["CMake", "3.29.2"].default_for == {"cmake": f"first on PATH: {machine.root}/a"}
    assert items["CMake", "3.25.1"].default_for == {}
    assert list(items["Python", "3.12.0rc1"].default_for) == ["python3"]


def test_a_batch_system_tells_its_version_or_is_remarked(machine):
    machine.program("a/qstat", "pbs_version = 20.0.1")
    machine.script("a/sinfo", "exit 1")
    here = machine.here("a")
    assert set(found(find_batch, here)) == {("pbs", "20.0.1")}
    assert here.remarks == [
        f"{machine.root}/a/sinfo does not say its version: is slurm set up here?"
    ]


def _installation(machine, family, version, suffix=""):
    programs = {
        field: str(machine.program(f"bin/{name}{suffix}", ""))
        for field, name in (("mpicc", "mpicc"), ("mpicxx", "mpic++"), ("mpiexec", "mpiexec"))
    }
    return Installation(
        name=f"{family}-{version}", family=family, version=version,
        prefix=str(machine.root), source="PATH", **programs,
    )  # fmt: skip


def test_the_alternatives_decide_whose_mpicc_is_the_default(machine, monkeypatch):
    here = machine.here("bin")
    here.installations = [
        _installation(machine, "openmpi", "4.1.4", ".openmpi"),
        _installation(machine, "mpich", "4.0.2", ".mpich"),
    ]
    # As in Debian: links to links with other names, and no program for the last one.
    machine.link("bin/mpicc", machine.root / "etc/alternatives/mpi")
    machine.link("etc/alternatives/mpi", machine.root / "bin/mpicc.mpich")
    machine.link("bin/mpicxx", machine.root / "etc/alternatives/mpicxx")
    machine.link("etc/alternatives/mpicxx", machine.root / "bin/mpic++.mpich")
    machine.link("bin/mpirun", "mpirun.openmpi")
    machine.link("bin/mpirun.openmpi", "orterun")
    machine.program("bin/orterun", "")
    items = found(find_mpi, here)
    assert set(items["mpich", "4.0.2"].default_for) - {"leadline"} == {"mpicc", "mpicxx"}
    assert set(items["openmpi", "4.1.4"].default_for) - {"leadline"} == {"mpirun"}


def test_the_loader_and_the_inventory_agree_on_blas():
    """What a program that asks for libblas.so.3 gets, the loader itself says."""
    said = subprocess.run(
        [sys.executable, "-c", "import ctypes; ctypes.CDLL('libblas.so.3')\n"
         "print([l.split()[-1] for l in open('/proc/self/maps') if 'libblas' in l][0])"],
        capture_output=True, text=True,
    )  # fmt: skip
    if said.returncode:
        pytest.skip("there is no libblas.so.3 here")
    loaded = said.stdout.strip()
    (item,) = (each for each in find_blas(Host()) if "libblas.so.3" in each.default_for)
    assert item.path.rpartition("/")[0] == loaded.rpartition("/")[0]


def test_ld_library_path_changes_the_blas_that_is_the_default(machine, monkeypatch):
    folder = machine.root / "own"
    folder.mkdir(parents=True)
    (folder / "libblas.so.3.9.9").touch()
    (folder / "libblas.so.3").symlink_to("libblas.so.3.9.9")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    here = Host()
    (item,) = (each for each in find_blas(here) if "libblas.so.3" in each.default_for)
    assert (item.version, item.default_for["libblas.so.3"]) == ("3.9.9", "LD_LIBRARY_PATH")


@pytest.fixture
def tree(tmp_path):
    """Modules of two versions with a default that is not the last, and one with a compiler."""
    folder = tmp_path / "modulefiles"
    for name, text in {
        "openmpi/4.1.4": "", "openmpi/5.0.1": "", "deep/down/1.0": "", "plain": "",
        "openmpi/.version": "set ModulesVersion 4.1.4\n",
        "gcc/13.1": f"prepend-path PATH {tmp_path}/machine/gcc/bin\n",
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#%Module1.0\n{text}")
    return folder


def _module_systems():
    found = {"Tcl": shutil.which("modulecmd")}
    lmod = (os.environ.get("LMOD_CMD"), "/usr/share/lmod/lmod/libexec/lmod")
    found["Lmod"] = next((path for path in lmod if path and shutil.which(path)), None)
    return found


@pytest.fixture(params=["Tcl", "Lmod"])
def command(request):
    path = _module_systems()[request.param]
    if not path:
        pytest.skip(f"{request.param}'s environment modules are not here")
    return path


def test_modules_are_listed_with_their_defaults(tree, command):
    here = Host({"PATH": "/usr/bin:/bin", "MODULEPATH": str(tree), "LMOD_CMD": command})
    items = found(find_modules, here)
    assert set(items) == {("openmpi", "4.1.4"), ("openmpi", "5.0.1"), ("deep/down", "1.0"),
                          ("gcc", "13.1"), ("plain", "")}  # fmt: skip
    assert items["openmpi", "4.1.4"].default_for == {"openmpi": "module avail"}
    assert items["openmpi", "5.0.1"].default_for == {}
    assert {item.detail["folder"] for item in items.values()} == {str(tree)}


def test_a_loaded_module_is_why_a_compiler_is_the_default(tree, command, machine):
    machine.gcc("gcc/bin", "13.1.0")
    machine.link("gcc/bin/cc", "gcc")
    here = machine.here("gcc/bin", MODULEPATH=str(tree), LMOD_CMD=command, LOADEDMODULES="gcc/13.1")
    here.environment["PATH"] += ":/usr/bin:/bin"
    item = found(find_compilers, here)["gcc", "13.1.0"]
    assert item.default_for == {"cc": "module gcc/13.1"}
    assert found(find_modules, here)["gcc", "13.1"].detail["loaded"] == "yes"


def test_modules_without_a_path_are_a_remark(machine):
    machine.program("bin/modulecmd", "")
    here = machine.here("bin")
    assert not found(find_modules, here)
    (line,) = here.remarks
    assert "MODULEPATH is empty" in line


def test_this_machine_has_what_its_programs_say(monkeypatch):
    software = look()
    there = [item for item in software.items if item.kind == "compiler"]
    for item in there:
        said = subprocess.run(
            [item.path, "--version"], capture_output=True, text=True, env={"LC_ALL": "C"}
        ).stdout
        assert item.version in said
    if cc := shutil.which("cc"):
        (default,) = (item for item in there if "cc" in item.default_for)
        dumped = subprocess.run([cc, "-dumpfullversion"], capture_output=True, text=True).stdout
        if re.fullmatch(r"[\d.]+\n", dumped):
            assert dumped.strip() == default.version
    assert {"system", "compiler", "MPI", "tool"} <= set(software.kinds)
