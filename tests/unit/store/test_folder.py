import os

import pytest

from leadline.core.errors import UserError
from leadline.model.run import Outcome
from leadline.store.folder import RunFolder, find, run_paths


def test_names_are_unique_and_in_the_order_of_time(tmp_path):
    made = [RunFolder.create(tmp_path, name).name for name in ("z", "a", "z", "m", "z")]
    assert len(set(made)) == 5
    assert [path.name for path in run_paths(tmp_path)] == made
    assert RunFolder(run_paths(tmp_path)[-1]).name == made[-1]


@pytest.mark.parametrize(
    "name", ["../no-such", "/etc", "a/b", "..", "", "\0", "-rf", "ü" * 300, "a\nb"]
)
def test_a_hostile_name_stays_inside_the_folder_of_runs(tmp_path, name):
    folder = RunFolder.create(tmp_path / "runs", name)
    assert folder.path.resolve().parent == (tmp_path / "runs").resolve()
    assert folder.name.isascii() and "/" not in folder.name and "\n" not in folder.name


def test_a_run_is_found_by_name_beginning_last_and_path(measured):
    first, second = measured(name="one").finish(), measured(name="two").finish()
    runs = first.path.parent
    for name in (second.name, second.name[:-1], "last", str(second.path), f"{second.path}/"):
        assert RunFolder.open(name, runs).path == second.path
    assert RunFolder.open(first.name, runs).path == first.path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "no run 'nothing'"),
        ("", "no run ''"),
        ("..", "no run '..'"),
        ("2", "is the beginning of 2 runs"),
        ("../no-such", "no folder '../no-such'"),
        ("/etc", "is not a run folder: it has no run.json"),
    ],
)
def test_what_is_not_one_run_is_refused_in_one_line(measured, name, words):
    runs = measured().finish().path.parent
    measured().finish()
    with pytest.raises(UserError) as error:
        RunFolder.open(name, runs)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_last_without_runs_says_that_there_is_none(tmp_path):
    with pytest.raises(UserError, match="which has none: `leadline survey` makes one"):
        RunFolder.open("last", tmp_path / "runs")


def test_a_run_comes_back_as_it_was_written(measured):
    made = measured()
    made.launch(0)
    folder = made.finish()
    assert RunFolder.open("last", folder.path.parent).read() == made.run


def test_run_json_cut_at_any_byte_is_refused(measured):
    folder = measured(points=0).finish()
    path = folder.path / "run.json"
    data = path.read_bytes()
    for cut in range(len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(UserError, match="is damaged or not leadline's"):
            folder.read()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"format": 2, "anything": true}', "is in format 2, this leadline reads format 1"),
        (b'{"format": 1}', "is damaged or not leadline's"),
        (b'{"name": "webpack"}', "is damaged or not leadline's"),
        (b"\xff\xfe\x00", "is damaged or not leadline's"),
    ],
)
def test_a_foreign_run_json_is_refused(measured, content, words):
    folder = measured().finish()
    (folder.path / "run.json").write_bytes(content)
    with pytest.raises(UserError) as error:
        folder.read()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*file.*choose another folder"):
        RunFolder.create(tmp_path / "file" / "runs", "x")


def test_finishing_leaves_the_table_and_no_launch_samples(measured):
    made = measured()
    made.launch(0)
    made.launch(1, cut_after=2)
    folder = made.finish()
    files = {str(p.relative_to(folder.path)) for p in folder.path.rglob("*") if p.is_file()}
    assert files == {
        "run.json",
        "samples.parquet",
        "launches/000/events.jsonl",
        "launches/000/launch.json",
        "launches/001/events.jsonl",
        "launches/001/launch.json",
        "launches/001/samples.bin",  # the cut point's samples are nowhere else
    }


def test_finishing_twice_loses_nothing(measured):
    made = measured()
    made.launch(0)
    before = made.finish().parquet.read_bytes()
    made.run.outcome = Outcome(state="failed", message="later")
    made.folder.finish(made.run)
    assert made.folder.parquet.read_bytes() == before
    assert made.folder.read().outcome.state == "failed"


def test_a_cut_launch_has_its_finished_points(measured):
    made = measured(points=4)
    made.launch(0, cut_after=2)
    launch = made.run.launches[0]
    assert [result.point for result in launch.points] == [0, 1]
    assert launch.library == "A library 1.0"
    assert launch.ranks[0].cpus == "0-1"
    assert launch.points[1].metrics == {"rate_per_s": 1.5}
    assert (launch.points[1].messages, launch.points[1].neighbours) == (2.0, ((1,), (0,)))
    lines = (made.folder.path / "run.json").read_text().split()
    assert "[1]," in lines, "a rank's neighbours take more than one line"


def test_a_point_whose_samples_are_not_on_the_disk_is_not_finished(measured):
    made = measured(points=3)
    path = made.launch(0, known=False)
    with (path / "samples.bin").open("rb+") as stream:
        stream.truncate(stream.seek(0, os.SEEK_END) - 1)
    made.note(0)
    assert [result.point for result in made.run.launches[0].points] == [0, 1]


def test_a_number_that_is_not_finite_is_left_out(measured):
    made = measured(points=1)
    path = made.launch(0, known=False)
    text = (path / "events.jsonl").read_text().replace("1.5}", '1.5, "bad_per_s": null}')
    assert "null" in text
    (path / "events.jsonl").write_text(text)
    made.note(0)
    assert made.run.launches[0].points[0].metrics == {"rate_per_s": 1.5}


def test_a_damaged_stream_keeps_the_points_before_the_damage(measured):
    made = measured(points=2)
    path = made.launch(0, known=False)
    lines = (path / "events.jsonl").read_text().splitlines(keepends=True)
    (path / "events.jsonl").write_text("".join(lines[:4]) + '{"event": "poi{"ev\n' + lines[-1])
    made.note(0)
    launch = made.run.launches[0]
    assert [result.point for result in launch.points] == [0]
    assert launch.outcome.state == "incomplete"
    assert "line 5 is not an event" in launch.outcome.message


def test_last_is_what_the_user_asked_for(tmp_path):
    names = [
        "2026-11-29T070000-survey-aaaa",
        "2026-11-29T070100-tune-mpich-5-0-2-070100-bbbb",
        "2026-11-29T070200-tune-library-openmpi-5-0-11-070100-cccc",
    ]
    for name in names[1:]:
        (tmp_path / name).mkdir()
    assert find("last", tmp_path).name == names[2], "nothing else is there"
    (tmp_path / names[0]).mkdir()
    assert find("last", tmp_path).name == names[0]
