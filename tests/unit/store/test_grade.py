"""The grade of trust that a run's folder keeps for lists."""

import msgspec
from served import Timed

from leadline.library.runs import OpenRun
from leadline.model.run import Outcome
from leadline.model.verdict import Trust
from leadline.store.overview import FILE, keep_grade, overview, read_grade
from leadline.store.samples import StoredSamples

GOOD = Trust(grade="good", text="0.1 % of the samples disturbed", disturbed_fraction=0.001)


def test_what_is_kept_is_read_again(tmp_path):
    assert read_grade(tmp_path) is None
    keep_grade(tmp_path, GOOD)
    assert read_grade(tmp_path) == GOOD


def test_the_same_grade_is_not_written_twice_and_another_one_is(tmp_path):
    keep_grade(tmp_path, GOOD)
    before = (tmp_path / FILE).stat().st_mtime_ns
    keep_grade(tmp_path, GOOD)
    assert (tmp_path / FILE).stat().st_mtime_ns == before
    poor = msgspec.structs.replace(GOOD, grade="poor")
    keep_grade(tmp_path, poor)
    assert read_grade(tmp_path) == poor


def test_a_damaged_grade_is_none(tmp_path):
    (tmp_path / FILE).write_text("{")
    assert read_grade(tmp_path) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    keep_grade(tmp_path / "absent", GOOD)
    assert read_grade(tmp_path / "absent") is None


def measured(runs):
    """Return a run of five launches that nobody has shown."""
    run = Timed(runs, day=1, samples=40)
    for launch in range(5):
        run.launch(launch)
    folder = run.finish()
    return OpenRun(folder.read(), StoredSamples(folder), folder)


def test_a_measured_run_has_its_grade_before_anybody_shows_it(tmp_path):
    run = measured(tmp_path)
    assert overview(run.folder.path)[0].trust == ""
    run.keep_grade()
    kept = read_grade(run.folder.path)
    assert kept.grade in ("good", "fair") and kept.between_launches < 0.01
    assert overview(run.folder.path)[0].trust == kept.grade


def test_a_run_that_is_being_measured_has_none(tmp_path):
    run = measured(tmp_path)
    run.run.outcome = Outcome(state="running", message="")
    run.keep_grade()
    assert read_grade(run.folder.path) is None
