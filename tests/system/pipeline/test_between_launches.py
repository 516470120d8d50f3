"""An interrupt that comes while no launch runs."""

from leadline.measure.run import run as execution
from leadline.measure.run.preparation import prepare
from leadline.model.plan import Entry, Plan
from leadline.model.progress import Silent
from leadline.store.folder import RunFolder


def test_what_was_measured_is_kept_and_the_run_says_interrupted(environment, tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", environment["LEADLINE_HOME"])
    entry = Entry(benchmarks=("fake/transfer",), axes={"bytes": "8"})
    prepared = prepare(Plan(entries=(entry,), mpi=("fake",), launches=3), lambda text: None)

    class Impatient(Silent):
        def doing(self, text):
            if "launch 3" in text:
                raise KeyboardInterrupt

    folder = RunFolder.create(tmp_path, "impatient")
    run = execution.execute(prepared, folder, Impatient(), [])
    assert (run.outcome.state, len(run.launches)) == ("interrupted", 2)
    assert RunFolder.open(str(folder.path), tmp_path).read() == run
