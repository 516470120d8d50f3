"""What a run says, as its folder keeps it: used as long as nothing has changed, and no longer."""

import os

import msgspec
import pytest
from served import Timed

from leadline.exchange.analysis import analysis_of, figures_of
from leadline.library.runs import OpenRun
from leadline.model.run import Outcome
from leadline.store import kept
from leadline.store.overview import overview
from leadline.store.samples import StoredSamples


@pytest.fixture
def measured(tmp_path):
    """Return a run of five launches that nobody has shown."""
    run = Timed(tmp_path, day=1, samples=40)
    for launch in range(5):
        run.launch(launch)
    folder = run.finish()
    return OpenRun(folder.read(), StoredSamples(folder), folder)


def there(run):
    """Return what is kept of the run as it is now."""
    return kept.read_analysis(run.folder, kept.describe_inputs(run.folder, run.folder.read()))


def test_what_is_kept_is_used_and_no_sample_is_read_again(measured, monkeypatch):
    made = measured.analysis
    monkeypatch.delattr(StoredSamples, "columns")
    assert analysis_of(measured.run, measured.source) == made
    assert figures_of(measured.run, measured.source) == made.points


def change_samples(run):
    content = bytearray(run.folder.parquet.read_bytes())
    content[len(content) // 2] ^= 1
    run.folder.parquet.write_bytes(content)


def change_run(run):
    run.folder.write(msgspec.structs.replace(run.folder.read(), flags=["page_fault", "preempted"]))


def flip_a_bit(run):
    path = run.folder.path / kept.FILE
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def cut(run):
    path = run.folder.path / kept.FILE
    path.write_bytes(path.read_bytes()[:-100])


def replace_by_a_pipe(run):
    (run.folder.path / kept.FILE).unlink()
    os.mkfifo(run.folder.path / kept.FILE)


def write_nonsense(run):
    (run.folder.path / kept.FILE).write_bytes(b"\x81" * 5000)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "change",
    [change_samples, change_run, flip_a_bit, cut, replace_by_a_pipe, write_nonsense],
    ids=lambda change: change.__name__,
)
def test_what_has_changed_or_is_damaged_is_not_used(measured, change):
    measured.analyse()
    assert there(measured)
    change(measured)
    assert there(measured) is None


def test_another_leadline_works_it_out_again_and_keeps_that(measured, monkeypatch):
    measured.analyse()
    monkeypatch.setattr(kept, "_sources", lambda: b"a later one")
    assert there(measured) is None
    analysis_of(measured.run, measured.source)
    assert there(measured)


def test_sources_of_any_room_below_an_analysis_count(tmp_path, monkeypatch):
    (tmp_path / "core").mkdir()
    (tmp_path / "core/units.py").write_text("1")
    monkeypatch.setattr(kept, "_PACKAGE", tmp_path)
    before = kept._sources.__wrapped__()
    (tmp_path / "core/units.py").write_text("2")
    assert kept._sources.__wrapped__() != before


def test_what_would_be_read_otherwise_than_it_was_made_is_not_kept(measured):
    # A whole number in place of a time would come back as another kind of number.
    strange = msgspec.structs.replace(measured.analysis.points[0], mean_s=1)
    analysis = msgspec.structs.replace(measured.analysis, points=(strange,))
    (measured.folder.path / kept.FILE).unlink()
    kept.keep_analysis(measured.folder, "made of this", analysis, "good")
    assert not (measured.folder.path / kept.FILE).exists()


def test_a_folder_that_cannot_be_written_is_no_error(measured, monkeypatch):
    monkeypatch.setattr(kept, "FILE", "absent/analysis")
    measured.analyse()
    assert there(measured) is None


def test_a_run_that_is_being_measured_keeps_nothing(measured):
    measured.run.outcome = Outcome(state="running")
    measured.analyse()
    assert not (measured.folder.path / kept.FILE).exists()


def test_a_run_whose_leadline_was_killed_keeps_it_with_the_samples_of_its_launches(tmp_path):
    run = Timed(tmp_path, day=1, samples=40)
    run.launch(0, cut_after=2, known=False)
    run.folder.close()
    found = OpenRun(run.folder.read(), StoredSamples(run.folder), run.folder)
    assert found.run.outcome.state == "incomplete"
    found.analyse()
    assert there(found) == found.analysis
    samples = run.folder.launch_path(0) / "samples.bin"
    samples.write_bytes(samples.read_bytes() + b"\0")
    assert there(found) is None


def test_lists_have_the_grade_that_was_kept_whatever_it_was_made_of(measured):
    assert overview(measured.folder.path)[0].trust == ""
    measured.analyse()
    grade = overview(measured.folder.path)[0].trust
    assert grade in ("good", "fair")
    change_samples(measured)
    assert overview(measured.folder.path)[0].trust == grade
    write_nonsense(measured)
    assert overview(measured.folder.path)[0].trust == ""
