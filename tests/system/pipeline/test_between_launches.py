"""An interrupt that comes while no launch runs."""

import signal

import pytest

from leadline.measure.run import run as execution
from leadline.measure.run.preparation import prepare
from leadline.model.plan import Entry, Plan
from leadline.model.progress import Silent
from leadline.store import parquet
from leadline.store.folder import RunFolder


@pytest.fixture
def prepared(environment, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", environment["LEADLINE_HOME"])
    entry = Entry(benchmarks=("fake/transfer",), axes={"bytes": "8"})
    return prepare(Plan(entries=(entry,), mpi=("fake",), launches=3), lambda text: None)


def test_what_was_measured_is_kept_and_the_run_says_interrupted(prepared, tmp_path):
    class Impatient(Silent):
        def doing(self, text):
            if "launch 3" in text:
                raise KeyboardInterrupt

    folder = RunFolder.create(tmp_path, "impatient")
    run = execution.execute(prepared, folder, Impatient(), [])
    assert (run.outcome.state, len(run.launches)) == ("interrupted", 2)
    assert RunFolder.open(str(folder.path), tmp_path).read() == run


def test_a_signal_before_the_first_launch_leaves_a_whole_folder(prepared, tmp_path):
    class Early(Silent):
        def begin(self, points):
            signal.raise_signal(signal.SIGINT)

    folder, run = execution.execute_in(tmp_path, prepared, Early(), [])
    assert (run.outcome.state, run.launches) == ("interrupted", [])
    assert folder.read() == run and folder.writer is None


def test_a_signal_while_the_folder_is_made_leaves_a_whole_one(prepared, tmp_path, monkeypatch):
    create = RunFolder.create

    def create_under_fire(*arguments):
        signal.raise_signal(signal.SIGINT)
        return create(*arguments)

    monkeypatch.setattr(RunFolder, "create", create_under_fire)
    folder, run = execution.execute_in(tmp_path, prepared, Silent(), [])
    assert run.outcome.state == "interrupted" and folder.read() == run


def test_a_signal_after_the_last_launch_waits_for_the_table(prepared, tmp_path, monkeypatch):
    write_parts, signals = parquet._write_parts, [signal.SIGINT]

    def write_under_fire(*arguments):
        while signals:
            signal.raise_signal(signals.pop())
        return write_parts(*arguments)

    monkeypatch.setattr(parquet, "_write_parts", write_under_fire)
    with pytest.raises(KeyboardInterrupt, match=r"leadline show .* shows the run"):
        execution.execute_in(tmp_path, prepared, Silent(), [])
    folder = RunFolder.open("last", tmp_path)
    run = folder.read()
    assert (run.outcome.state, len(run.launches)) == ("complete", 3)
    assert folder.parquet.exists() and folder.find_damage(run) == ""
