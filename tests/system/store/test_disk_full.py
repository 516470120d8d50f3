"""A disk that is full: what was there stays, the user reads one line, the run stays readable."""

import os
import resource
import subprocess
from contextlib import contextmanager

import pytest

from leadline.core.errors import UserError
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples


@contextmanager
def largest_file(size):
    """Let no file grow beyond `size` bytes: the disk-full of one process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def small_disk(tmp_path):
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a tmpfs needs root and a container that may mount")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def fill(path, leave):
    """Fill the disk that holds `path` but for `leave` bytes."""
    state = os.statvfs(path)
    size = state.f_bavail * state.f_frsize - leave
    (path / "filler").write_bytes(b"x" * max(size, 0))


def test_run_json_stays_as_it_was(measured):
    made = measured()
    before = (made.folder.path / "run.json").read_bytes()
    made.run.machine = {"text": "x" * 10_000}
    with largest_file(4096), pytest.raises(UserError) as error:
        made.folder.write(made.run)
    assert "run.json" in str(error.value) and "free some space" in str(error.value)
    assert "\n" not in str(error.value)
    assert (made.folder.path / "run.json").read_bytes() == before
    assert not list(made.folder.path.glob(".*"))


def test_a_table_that_has_no_room_leaves_the_launches_samples(measured):
    made = measured(points=2, samples=20_000)
    made.launch(0)
    with largest_file(20_000), pytest.raises(UserError) as error:
        made.finish()
    assert "samples.parquet" in str(error.value) and "free some space" in str(error.value)
    assert "\n" not in str(error.value)
    files = {path.name for path in made.folder.path.iterdir()}
    assert files == {"run.json", "launches", "lock"}
    folder = RunFolder.open("last", made.folder.path.parent)
    assert folder.read().outcome.state == "complete"
    assert len(StoredSamples(folder).columns(1)["seconds"]) == 20_000
    made.finish()
    assert len(StoredSamples(folder).columns(1)["seconds"]) == 20_000
    assert not (folder.path / "launches" / "000" / "samples.bin").exists()


def test_a_full_file_system_loses_nothing(small_disk, measured):
    made = measured(points=2, samples=5_000)
    made.launch(0)
    folder = RunFolder.create(small_disk / "runs", "full")
    folder.write(made.run)
    target = folder.launch_folder(0)
    for file in made.folder.launch_path(0).iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    fill(small_disk, leave=12_288)
    with pytest.raises(UserError, match="free some space") as error:
        folder.finish(made.run)
    assert "\n" not in str(error.value)
    assert len(StoredSamples(folder).columns(0)["seconds"]) == 5_000
    (small_disk / "filler").unlink()
    folder.finish(made.run)
    assert folder.parquet.exists()
    assert len(StoredSamples(folder).columns(0)["seconds"]) == 5_000
