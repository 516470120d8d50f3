"""The packed file on a machine without compiler, CMake, make and network: a Debian in a folder.

The folder is kept in build/bare: making it takes two minutes and a mirror.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkout import CHECKOUT
from programs import compiled
from programs import run as run_to_its_end

from leadline.core.errors import UserError
from leadline.exchange.pack.archive import pack

ROOT = CHECKOUT / "build/bare"
PACKAGES = "mpich openmpi-bin"
# The compiler's wrapper here, and the launcher there.
MPIS = {"mpich": ("mpicc.mpich", "mpiexec.mpich"), "openmpi": ("mpicc.openmpi", "mpiexec.openmpi")}
# In namespaces of its own: no network but its own loopback, and nothing stays mounted.
INSIDE = """
ip link set lo up
mount -t proc proc "$0/proc"
mount -t sysfs sys "$0/sys"
mount --rbind /dev "$0/dev"
exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root USER=root LANG=C.UTF-8 \
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
"""
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(3600)]


def inside(*words, status=0):
    command = ["unshare", "--net", "--mount", "--pid", "--fork", "sh", "-c", INSIDE, ROOT, *words]
    return run_to_its_end(*command, status=status)


@pytest.fixture(scope="module")
def tools():
    """What `machine` is made with, looked for before the long work of building the wheel."""
    if os.geteuid() or not shutil.which("debootstrap") or not shutil.which("ip"):
        pytest.skip("needs root, debootstrap and ip")


@pytest.fixture(scope="module")
def machine(tools, wheel):
    """The folder, with two MPIs as a node has them: libraries and launchers, no headers."""
    if "py3-none-any" in wheel.name:
        pytest.skip("the wheel has nothing ready: tools/setup dist")
    if not (ROOT / "usr/bin/mpiexec.openmpi").exists():
        shutil.rmtree(ROOT, ignore_errors=True)
        made = ["debootstrap", "--variant=minbase", "--include=python3", "bookworm", ROOT]
        packages = f"apt-get update -qq && apt-get install -y --no-install-recommends {PACKAGES}"
        for words in (made, ["chroot", ROOT, "sh", "-c", packages]):
            ended = subprocess.run(words, capture_output=True, text=True, check=False)
            if ended.returncode:
                shutil.rmtree(ROOT, ignore_errors=True)
                pytest.skip(f"no Debian here: {(ended.stderr or ended.stdout)[-200:]}")
    for name in ("opt/leadline", "root/.local", "root/leadline.sh"):
        place = ROOT / name
        place.unlink() if place.is_file() else shutil.rmtree(place, ignore_errors=True)
    there = inside("sh", "-c", "command -v cc gcc c++ cmake make ninja pip; find / -name mpi.h")
    assert there.stdout == ""
    return ROOT


@pytest.fixture(scope="module")
def leadline(machine, wheel, tmp_path_factory):
    """Return what calls leadline there, installed from the one file that is copied."""
    file = tmp_path_factory.mktemp("packed") / "leadline.sh"
    try:
        pack(file, [PYTHON], [], print, wheel)
    except UserError as error:
        pytest.skip(str(error))
    began = time.monotonic()
    shutil.copy(file, machine / "root/leadline.sh")
    print(inside("sh", "/root/leadline.sh", "/opt/leadline").stdout)
    print(f"copied and installed in {time.monotonic() - began:.1f} s")
    return lambda *words, **how: inside("/opt/leadline/bin/leadline", *words, **how)


@pytest.fixture(scope="module", params=MPIS)
def mpi(request, machine, leadline):
    """The words that start a program of an MPI there, and what leadline calls it."""
    wrapper, launcher = MPIS[request.param]
    if not shutil.which(wrapper):
        pytest.skip(f"no {wrapper} to compile the program with")
    folder = machine / "root" / request.param
    folder.mkdir(exist_ok=True)
    program = compiled(wrapper, Path(__file__).with_name("program.c"), folder)
    installations = json.loads(leadline("mpi", "--json").stdout)["installations"]
    (name,) = [each["name"] for each in installations if each["family"] == request.param]
    return [launcher, "-n", "2", f"/{program.relative_to(machine)}"], name


def test_explain_says_who_is_late(leadline, mpi):
    command, name = mpi
    began = time.monotonic()
    ended = leadline("explain", "--", *command)
    print(f"explained in {time.monotonic() - began:.1f} s")
    assert "building" not in ended.stderr and f", {name}:" in " ".join(ended.stderr.split())
    assert re.search(r"Rank 1 made others wait 1\d\d times", ended.stderr), ended.stderr


def test_exec_runs_the_engine(leadline, mpi):
    command, _ = mpi
    ended = leadline("exec", "--report", "--", *command)
    assert ended.stdout == "sum 2\n" and "leadline: 2 of 2 ranks, " in ended.stderr


def test_check_looks_at_the_start(leadline, mpi):
    command, _ = mpi
    ended = leadline("check", "--json", "--", *command, status=None)
    assert ended.returncode in (0, 1), ended.stderr
    assert [each["rank"] for each in json.loads(ended.stdout)["ranks"]] == [0, 1]


def test_stuck_names_the_calls(leadline, mpi):
    command, _ = mpi
    words = " ".join(["/opt/leadline/bin/leadline", "explain", "--", *command, "hang"])
    script = f"{words} & sleep 5; /opt/leadline/bin/leadline stuck $!; kill $!; wait"
    ended = inside("sh", "-c", script, status=None)
    assert "MPI_Recv" in ended.stdout and "MPI_Barrier" in ended.stdout, ended.stderr


def test_run_and_survey_measure(leadline, mpi):
    _, name = mpi
    words = ["mpi/pingpong", "--bytes", "8", "--launches", "1", "--mpi", name, "--anyway"]
    ended = leadline("run", *words, "--json")
    assert "building" not in ended.stderr
    found = json.loads(ended.stdout)
    assert (found["outcome"]["state"], len(found["points"])) == ("complete", 1)
    ended = leadline("survey", "--mpi", name, "--anyway")
    assert "Latency, 8 B" in ended.stdout and "building" not in ended.stderr
