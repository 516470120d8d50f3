"""Interrupts while samples become a table, and while they are read: nothing is lost."""

import os
import signal
import threading

import pytest

from leadline.store import parquet
from leadline.store.folder import RunFolder
from leadline.store.parquet import connected, interruptible, reading

# Lasts until it is interrupted.
ENDLESS = "SELECT sum(sqrt(a.range)) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def struck(monkeypatch):
    """Have so many interrupts come when a launch's samples are about to be read."""

    def strike(times):
        write_parts = parquet._write_parts

        def write_under_fire(*arguments):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            return write_parts(*arguments)

        monkeypatch.setattr(parquet, "_write_parts", write_under_fire)

    return strike


def test_an_interrupt_waits_for_the_table(measured, struck):
    made = measured()
    made.launch(0)
    struck(1)
    with pytest.raises(KeyboardInterrupt):
        made.finish()
    folder = made.folder
    assert folder.parquet.exists() and folder.writer is None
    assert not (folder.launch_path(0) / "samples.bin").exists()
    assert folder.read() == made.run


def test_a_second_interrupt_leaves_the_samples_where_they_are(measured, struck, monkeypatch):
    made = measured()
    made.launch(0)
    struck(2)
    with pytest.raises(KeyboardInterrupt, match=r"leadline show .* --recover"):
        made.finish()
    folder = made.folder
    left = {path.name for path in folder.path.iterdir()}
    assert left == {"run.json", "launches", "lock"}, "nothing half-made stays"
    assert folder.find_damage(folder.read()) == ""
    folder.close()
    monkeypatch.undo()
    RunFolder(folder.path).recover()
    with folder.table() as table, connected() as connection:
        count = f"SELECT count(*) FROM read_parquet('{table}')"
        assert connection.execute(count).fetchall() == [(30,)]


def test_an_interrupted_statement_is_an_interrupt(tmp_path):
    for block in (interruptible(), reading(tmp_path / "samples.parquet")):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt), block, connected(threads=1) as connection:
            connection.execute(ENDLESS).fetchall()
        timer.join()
