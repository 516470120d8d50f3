"""What a run says, kept for who looks again: used as long as nothing has changed, and no longer."""

import os

import msgspec
import pytest
from served import Timed

from leadline.core import paths
from leadline.exchange.analysis import analysis_of, figures_of
from leadline.library.runs import OpenRun
from leadline.model.run import Outcome
from leadline.store import kept
from leadline.store.samples import StoredSamples


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))


@pytest.fixture
def measured(tmp_path):
    """Return a run of five launches that nobody has shown."""
    run = Timed(tmp_path / "runs", day=1, samples=40)
    for launch in range(5):
        run.launch(launch)
    folder = run.finish()
    return OpenRun(folder.read(), StoredSamples(folder), folder)


def there(run):
    """Return what is kept of the run as it is now."""
    return kept.read_analysis(kept.describe_inputs(run.folder, run.folder.read()))


def only_file():
    (path,) = paths.analyses().iterdir()
    return path


def test_what_is_kept_is_used_and_no_sample_is_read_again(measured, monkeypatch):
    made = measured.analysis
    monkeypatch.delattr(StoredSamples, "columns")
    assert analysis_of(measured.run, measured.source) == made
    assert figures_of(measured.run, measured.source) == made.points


def test_it_is_of_the_content_wherever_the_run_lies(measured, tmp_path):
    made = measured.analysis
    moved = measured.folder.path.rename(tmp_path / measured.folder.name)
    folder = type(measured.folder)(moved)
    assert kept.read_analysis(kept.describe_inputs(folder, folder.read())) == made
    assert not [path for path in moved.rglob("*") if "analys" in path.name]


def change_samples(run):
    content = bytearray(run.folder.parquet.read_bytes())
    content[len(content) // 2] ^= 1
    run.folder.parquet.write_bytes(content)


def change_run(run):
    run.folder.write(msgspec.structs.replace(run.folder.read(), flags=["page_fault", "preempted"]))


def flip_a_bit(_):
    content = bytearray(only_file().read_bytes())
    content[-1] ^= 1
    only_file().write_bytes(content)


def cut(_):
    only_file().write_bytes(only_file().read_bytes()[:-100])


def empty(_):
    only_file().write_bytes(b"")


def write_nonsense(_):
    body = b"\x81" * 5000
    only_file().write_bytes(kept._digest(body) + body)


def replace_the_samples_by_a_pipe(run):
    run.folder.parquet.unlink()
    os.mkfifo(run.folder.parquet)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "change",
    [
        *(change_samples, change_run, replace_the_samples_by_a_pipe),
        *(flip_a_bit, cut, empty, write_nonsense),
    ],
    ids=lambda change: change.__name__,
)
def test_what_has_changed_or_is_damaged_is_not_used(measured, change):
    assert measured.analysis == there(measured)
    change(measured)
    assert there(measured) is None


def test_another_leadline_works_it_out_again_and_keeps_that(measured, monkeypatch):
    assert measured.analysis == there(measured)
    monkeypatch.setattr(kept, "_sources", lambda: b"a later one")
    assert there(measured) is None
    assert analysis_of(measured.run, measured.source) == there(measured)
    assert len(list(paths.analyses().iterdir())) == 2


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
    kept.keep_analysis("another", analysis)
    assert kept.read_analysis("another") is None


def test_a_home_that_cannot_be_written_is_no_error(measured, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "file"))
    assert measured.analysis.points
    assert there(measured) is None


def test_a_run_that_is_being_measured_keeps_nothing(measured):
    measured.run.outcome = Outcome(state="running")
    assert measured.analysis.points
    assert not paths.analyses().exists()


def test_a_run_whose_leadline_was_killed_is_kept_with_the_samples_of_its_launches(tmp_path):
    run = Timed(tmp_path, day=1, samples=40)
    run.launch(0, cut_after=2, known=False)
    run.folder.close()
    found = OpenRun(run.folder.read(), StoredSamples(run.folder), run.folder)
    assert found.run.outcome.state == "incomplete"
    assert found.analysis == there(found)
    samples = run.folder.launch_path(0) / "samples.bin"
    samples.write_bytes(samples.read_bytes() + b"\0")
    assert there(found) is None


def test_the_last_used_ones_stay(measured, monkeypatch):
    analysis = measured.analysis
    only_file().unlink()
    monkeypatch.setattr(kept, "_MOST", 2)
    for number, name in enumerate(("first", "second")):
        kept.keep_analysis(name, analysis)
        os.utime(paths.analyses() / f"{name}.msgpack", (number, number))
    assert kept.read_analysis("first")
    kept.keep_analysis("third", analysis)
    assert kept.read_analysis("first") and kept.read_analysis("third")
    assert kept.read_analysis("second") is None
