"""Who writes to a folder, on file systems with locks and without, on this host and on others."""

import fcntl
import platform

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.store import lock
from leadline.store.folder import RunFolder
from leadline.store.lock import FILE, Lock, Writer, find_writer


@pytest.fixture
def without_locks(monkeypatch):
    """A file system that has no locks."""

    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)


def note(folder, **changes):
    """Leave the file of a process as this one is, but for the `changes`."""
    process = lock._describe_this_process(locked=True)
    changed = msgspec.structs.replace(process, **changes)
    (folder / FILE).write_bytes(msgspec.json.encode(changed))


def test_a_lock_tells_who_holds_it(tmp_path):
    held = Lock(tmp_path)
    found = find_writer(tmp_path)
    assert found and found.certain and found.host == platform.node() and found.pid > 0
    held.release()
    assert find_writer(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_leadline_says_nothing_of_itself(tmp_path):
    with (tmp_path / FILE).open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert find_writer(tmp_path) == Writer(certain=True)
    assert find_writer(tmp_path) is None


def test_without_locks_the_process_is_looked_for(tmp_path, without_locks):
    held = Lock(tmp_path)
    assert find_writer(tmp_path).certain
    note(tmp_path, locked=False, start=1)
    assert find_writer(tmp_path) is None, "another process has its number now"
    note(tmp_path, locked=False, namespace="pid:[1]")
    assert not find_writer(tmp_path).certain, "the number means nothing here"
    held.release()


def test_a_lock_that_is_gone_on_the_same_kernel_is_gone(tmp_path):
    note(tmp_path)
    assert find_writer(tmp_path) is None


def test_only_another_host_knows_of_its_processes(tmp_path):
    note(tmp_path, boot="another", host="login1", pid=7)
    assert find_writer(tmp_path) == Writer(certain=False, host="login1", pid=7)
    note(tmp_path, boot="another")
    assert find_writer(tmp_path) is None, "this host was started again since"


def test_a_run_of_another_host_is_neither_dead_nor_free(measured):
    made = measured()
    made.launch(0, cut_after=2, known=False)
    made.folder.close()
    note(made.folder.path, boot="another", host="login1", pid=7)
    found = made.folder.read()
    assert found.outcome.state == "running" and "login1 as process 7" in found.outcome.message
    assert len(found.launches[0].points) == 2
    for refused in (made.folder.recover, lambda: RunFolder(made.folder.path).check_unused("")):
        with pytest.raises(UserError, match=r"login1 \(process 7\), and only there.*remove .*lock"):
            refused()
