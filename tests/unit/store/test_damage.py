"""Run folders of which a part is damaged or gone: said in a line, and the other runs answer."""

import json

import pytest
from in_process import leadline

from leadline.store.history import runs_like

COUNTS = "SELECT run, count(*) AS n FROM samples GROUP BY run"


@pytest.fixture
def sound(measured):
    made = measured(name="sound")
    made.launch(0)
    return made.finish().path


@pytest.fixture
def broken(measured, sound):
    made = measured(name="broken", samples=2000)
    made.launch(0)
    return made.finish().path


def over(runs, *words):
    return leadline(*words, "--runs", runs)


def cut(data):
    return data[: len(data) // 2]


def overwrite(data):
    return b"words" * 20


def empty(data):
    return b""


def spoil_inside(data):
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:4] + bytes(255 - byte for byte in data[4:end]) + data[end:]


def overview(runs, name):
    document = json.loads(over(runs, "runs", "--json").stdout)
    return next(run for run in document["runs"] if run["run"] == name)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut, "has lost its end"),
        (overwrite, "is no Parquet file"),
        (empty, "is empty"),
        (spoil_inside, "is damaged inside"),
    ],
)
def test_a_damaged_table_takes_no_other_answers(sound, broken, damage, words):
    table = broken / "samples.parquet"
    table.write_bytes(damage(table.read_bytes()))
    answer = over(sound.parent, "runs", "query", COUNTS, "--format", "json")
    assert (answer.returncode, json.loads(answer.stdout)) == (0, [{"run": sound.name, "n": 30}])
    assert answer.stderr.startswith(f"leadline: {broken.name} is left out: samples.parquet {words}")
    assert (
        f"`leadline runs remove {broken.name}`" in answer.stderr and answer.stderr.count("\n") == 1
    )
    states = over(sound.parent, "runs", "query", "SELECT run FROM runs", "--format", "csv")
    assert states.stdout.split() == ["run", sound.name, broken.name]


def test_a_mistake_in_a_query_is_not_taken_for_damage(sound, broken):
    refused = over(sound.parent, "runs", "query", "SELECT error('stop')")
    assert refused.returncode == 2 and "stop" in refused.stderr and "left out" not in refused.stderr


@pytest.mark.parametrize("damage", [cut, overwrite, empty, None])
def test_runs_says_damaged_or_gone(sound, broken, damage):
    table = broken / "samples.parquet"
    if damage:
        table.write_bytes(damage(table.read_bytes()))
    else:
        table.unlink()
    found = overview(sound.parent, broken.name)
    assert found["state"] == "damaged" and ("is gone" in found["message"]) == (damage is None)
    assert f"`leadline runs remove {broken.name}`" in found["message"]
    assert overview(sound.parent, sound.name)["state"] == "complete"
    assert "damaged: samples.parquet" in " ".join(over(sound.parent, "runs").stdout.split())


def test_a_damaged_run_is_no_past_of_others(measured, sound, broken):
    made = measured()
    (broken / "samples.parquet").write_bytes(b"")
    found = [folder.path for folder, _ in runs_like(made.run.plan, "", sound.parent)]
    assert found == [sound]


def test_a_folder_without_run_json_is_listed(sound, broken):
    renamed = broken.rename(broken.parent / "precious")
    (renamed / "run.json").unlink()
    found = overview(sound.parent, "precious")
    assert found["state"] == "unreadable"
    assert "it has no run.json" in found["message"]
    assert "put it back from a copy, or `leadline runs remove precious`" in found["message"]
    shown = over(sound.parent, "show", "precious")
    assert shown.returncode == 2 and "put it back" in shown.stderr
    (renamed / "thesis.tex").write_text("x")
    assert "thesis.tex" in over(sound.parent, "runs", "remove", "--yes", "precious").stderr
    (renamed / "thesis.tex").unlink()
    assert over(sound.parent, "runs", "remove", "--yes", "precious").returncode == 0
    assert not renamed.exists()


def test_a_run_that_ended_before_it_began_is_listed(measured, sound):
    made = measured(name="stillborn")
    (made.folder.path / "run.json").unlink()
    assert "is being prepared" in overview(sound.parent, made.folder.name)["message"]
    made.folder.close()
    message = overview(sound.parent, made.folder.name)["message"]
    assert "ended before it measured anything" in message
    assert f"`leadline runs remove {made.folder.name}`" in message
    assert over(sound.parent, "runs", "remove", "--yes", made.folder.name).returncode == 0


def test_what_is_no_run_is_not_listed(sound):
    for name in ("notes", "launches"):
        (sound.parent / name / "launches").mkdir(parents=True)
    document = json.loads(over(sound.parent, "runs", "--json").stdout)
    assert [run["run"] for run in document["runs"]] == [sound.name]
