"""Which package a file came in."""

import shutil
from pathlib import Path

import pytest

from leadline.site.software.host import Host
from leadline.site.software.owners import Package, packages, rpm


def test_debian_s_own_lists_agree():
    lists = Path("/var/lib/dpkg/info")
    if not shutil.which("dpkg-query"):
        pytest.skip("no dpkg here")
    (own,) = lists.glob("libc6:*.list") if lists.glob("libc6:*.list") else lists.glob("libc6.list")
    listed = own.read_text().splitlines()
    file = next(Path(line).resolve() for line in listed if line.endswith("/libc.so.6"))
    status = Path("/var/lib/dpkg/status").read_text().split("\n\n")
    (entry,) = (each for each in status if each.startswith("Package: libc6\n"))
    version = next(
        line.removeprefix("Version: ") for line in entry.splitlines() if line[:9] == "Version: "
    )
    assert packages([file, Path("/nowhere/lib.so")], Host()) == {
        file: Package("libc6", version, "dpkg")
    }


def test_rpm_is_asked_in_words_of_our_own(machine):
    machine.script(
        "bin/rpm",
        'case "$4" in */libown.so) printf "leadline own 1.2-3.el9\\n";;'
        ' *) echo "file $4 is not owned by any package";; esac',
    )
    here = machine.here("bin")
    files = [Path("/opt/libown.so"), Path("/opt/libother.so")]
    assert rpm(files, here) == {files[0]: Package("own", "1.2-3.el9", "rpm")}
