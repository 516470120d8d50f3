"""Which package a file came in."""

import importlib.metadata
import json
from pathlib import Path

from leadline.site.software.host import Host
from leadline.site.software.owners import Package, packages


def test_a_wheel_that_is_here():
    distribution = importlib.metadata.distribution("numpy")
    listed = [each for each in distribution.files or () if ".so" in each.name]
    file = Path(str(distribution.locate_file(listed[0]))).resolve()
    assert packages([file], Host())[file] == Package("numpy", distribution.version, "pip")


def test_a_wheel_s_files_outside_its_packages(tmp_path):
    """As the MPIs of PyPI bring theirs."""
    record = tmp_path / "lib/python3.12/site-packages/own_mpi-5.0.2.dist-info/RECORD"
    record.parent.mkdir(parents=True)
    record.write_text("../../../lib/libmpi.so.12,sha256=x,7\nown/__init__.py,,\n")
    (tmp_path / "pyvenv.cfg").touch()
    file = tmp_path / "lib/libmpi.so.12"
    assert packages([file], Host({}))[file] == Package("own_mpi", "5.0.2", "pip")
    assert not packages([tmp_path / "lib/libother.so"], Host({}))


def test_spack_tells_how_it_was_built(tmp_path):
    prefix = tmp_path / "linux-debian12/gcc-12/openmpi-5.0.3-abcdefgh"
    (prefix / ".spack").mkdir(parents=True)
    nodes = [{"name": "openmpi", "version": "5.0.3", "hash": "abcdefghijk"},
             {"name": "hwloc", "version": "2.9"}]  # fmt: skip
    (prefix / ".spack/spec.json").write_text(json.dumps({"spec": {"nodes": nodes}}))
    file = prefix / "lib/libmpi.so.40"
    assert packages([file], Host({}))[file] == Package("openmpi", "5.0.3 abcdefg", "spack")


def test_conda_tells_the_build(tmp_path):
    (tmp_path / "conda-meta").mkdir()
    record = {"name": "mpich", "version": "4.2.1", "build": "h0_0", "files": ["lib/libmpi.so.12"]}
    (tmp_path / "conda-meta/mpich.json").write_text(json.dumps(record))
    (tmp_path / "conda-meta/broken.json").write_text("{")
    file = tmp_path / "lib/libmpi.so.12"
    assert packages([file], Host({}))[file] == Package("mpich", "4.2.1 h0_0", "conda")
