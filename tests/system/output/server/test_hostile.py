"""Folders that somebody else wrote: each is shown as unreadable, and the others go on."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from served import SCRIPT, Timed, imported_run, write_import  # isort: skip

SOUND = "sound"


def _document(**changes):
    return msgspec.to_builtins(imported_run()) | changes


def _pipe(folder):
    os.mkfifo(folder / "run.json")


def _device(folder):
    (folder / "run.json").symlink_to("/dev/zero")


def _link_out(folder):
    outside = folder.parent.parent / "outside.json"
    outside.write_text(json.dumps(_document(run="secret")))
    (folder / "run.json").symlink_to(outside)


def _folder(folder):
    (folder / "run.json").mkdir()


def _nothing(folder):
    pass


def _no_json(folder):
    (folder / "run.json").write_bytes(b"\xff\xfe not json")


def _another_format(folder):
    (folder / "run.json").write_text(json.dumps(_document(format=99)))


def _deep(folder):
    (folder / "run.json").write_text('{"format": 1, "machine": ' + '{"a":' * 100_000)


def _enormous(folder):
    with (folder / "run.json").open("wb") as stream:
        stream.truncate(10**12)


def _wrong_types(folder):
    (folder / "run.json").write_text(json.dumps(_document(outcome={"state": "splendid"})))


def _linked_samples(folder):
    (folder / "run.json").write_text(json.dumps(_document()))
    (folder / "samples.parquet").symlink_to("/etc/passwd")


def _pipe_of_samples(folder):
    (folder / "run.json").write_text(json.dumps(_document()))
    os.mkfifo(folder / "samples.parquet")


def _linked_launches(folder):
    (folder / "run.json").write_text(json.dumps(_document(outcome={"state": "running"})))
    (folder / "launches").symlink_to("/")


def _pipe_of_events(folder):
    (folder / "run.json").write_text(json.dumps(_document(outcome={"state": "running"})))
    (folder / "launches" / "000").mkdir(parents=True)
    os.mkfifo(folder / "launches" / "000" / "events.jsonl")


def _pipe_of_the_lock(folder):
    (folder / "run.json").write_text(json.dumps(_document(outcome={"state": "running"})))
    os.mkfifo(folder / "lock")


BROKEN = {
    _pipe: "neither a file nor a folder",
    _device: "is a link",
    _link_out: "is a link",
    _folder: "is not a file",
    _nothing: "it has no run.json",
    _no_json: "damaged or not leadline's",
    _another_format: "format 99",
    _deep: "damaged or not leadline's",
    _enormous: "MB",
    _wrong_types: "damaged or not leadline's",
    _linked_samples: "is a link",
    _pipe_of_samples: "neither a file nor a folder",
    _linked_launches: "is a link",
    _pipe_of_events: "neither a file nor a folder",
    _pipe_of_the_lock: "neither a file nor a folder",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "runs"
    folder.mkdir()
    write_import(folder)
    for number, break_it in enumerate(BROKEN):
        strange = folder / f"2026-01-01T000000-broken-{number:04x}"
        strange.mkdir()
        break_it(strange)
    (folder / "linked-run").symlink_to(folder.parent)
    return folder


def test_each_says_what_is_wrong_with_it_and_the_others_go_on(server, runs):
    status, selection = server.json("/api/runs?sort=run&order=up")
    assert status == 200
    listed = {run["run"]: run for run in selection["runs"]}
    assert "linked-run" not in listed
    for number, expected in enumerate(BROKEN.values()):
        run = listed.pop(f"2026-01-01T000000-broken-{number:04x}")
        assert run["state"] == "unreadable", run
        assert expected in run["message"]
    assert [run["state"] for run in listed.values()] == ["complete"]


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_its_pages_refuse_in_words(server, number):
    name = f"2026-01-01T000000-broken-{number:04x}"
    for target in (f"/runs/{name}", f"/compare?a={name}&b={name}"):
        status, page = server.page(target)
        assert status == 422
        assert "secret" not in page
    assert server.json(f"/api/runs/{name}")[0] == 422


def _damaged(runs, content):
    run = Timed(runs, day=1)
    run.launch(0)
    folder = run.finish()
    folder.parquet.write_bytes(content)
    return folder.name


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"PAR1" + b"\0" * 1000 + b"PAR1"])
def test_damaged_samples_are_said(serving, tmp_path, content):
    name = _damaged(tmp_path, content)
    status, page = serving(tmp_path).page(f"/runs/{name}")
    assert status == 422
    assert "damaged or not leadline" in page


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("0 AS point FROM range(30_000_000)", "30000000 samples are too many"),
        ("2_000_000_000 * range AS point FROM range(2)", "points are 2000000000 apart"),
        ("NULL AS point FROM range(2)", "Cannot be shown"),
        ("'a' AS point FROM range(2)", "damaged or not leadline"),
    ],
)
def test_a_table_that_would_fill_the_memory_is_not_read(serving, tmp_path, rows, expected):
    import duckdb

    name = _damaged(tmp_path, b"")
    table = tmp_path / name / "samples.parquet"
    duckdb.sql(f"COPY (SELECT 1.0 AS seconds, {rows}) TO '{table}' (FORMAT parquet)")
    assert table.stat().st_size < 10**6
    status, page = serving(tmp_path).page(f"/runs/{name}")
    assert status == 422
    assert expected in page


def _odd(**changes):
    run = Timed(changes.pop("runs"), day=1)
    run.launch(0)
    folder = run.finish()
    document = msgspec.to_builtins(run.run) | changes
    (folder.path / "run.json").write_text(json.dumps(document))
    return folder.name


def test_values_that_make_no_sense_are_no_end(serving, tmp_path):
    names = [
        _odd(runs=tmp_path, started="the day before"),
        _odd(runs=tmp_path, machine={"host": {"a": [1]}, "kernel": None, "cpu_model": 5}),
        _odd(runs=tmp_path, benchmarks=[]),
        _odd(runs=tmp_path, points=[]),
        _odd(runs=tmp_path, launches=[]),
        _odd(runs=tmp_path, flags=["late_start"] * 500),
    ]
    server = serving(tmp_path)
    assert {run["run"] for run in server.json("/api/runs")[1]["runs"]} == set(names)
    for name in names:
        assert server.page(f"/runs/{name}")[0] in (200, 422)
    assert server.ask("/")[0] == 200


NAMES = ["<b>bold", "a&b=c#d", 'quo"ted', "with space", "per%2e%2ecent", "up..", "ünï", "a\nb",
         "-rf", "javascript:alert(1)", "{{cycler}}", "x" * 250]  # fmt: skip


def test_any_name_is_shown_and_opens(serving, tmp_path):
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(json.dumps(_document()))
    server = serving(tmp_path)
    _, page = server.page("/")
    assert "<b>bold" not in page
    listed = {run["run"] for run in server.json("/api/runs")[1]["runs"]}
    assert listed == set(NAMES)
    from urllib.parse import quote

    for name in NAMES:
        address = f"/runs/{quote(name, safe='')}"
        assert f'href="{address}"' in page
        assert server.page(address)[0] == 200, name


def test_names_that_no_text_can_hold_or_that_stand_for_others(serving, tmp_path):
    for name in (b"not-\xff-text", b"star*", b"[a-z]"):
        folder = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118 - of bytes
        os.mkdir(folder)  # noqa: PTH102
        Path(os.fsdecode(folder), "run.json").write_text(json.dumps(_document()))
    server = serving(tmp_path)
    states = {run["run"]: run["state"] for run in server.json("/api/runs")[1]["runs"]}
    assert states == {"not-\ufffd-text": "complete", "star*": "unreadable", "[a-z]": "unreadable"}
    assert server.page("/runs/not-%EF%BF%BD-text")[0] == 200


@pytest.mark.parametrize("target", ["/?words={}", "/runs/{}", "/compare?a={}&b={}", "/nights/{}"])
def test_markup_in_an_address_is_text(server, target):
    from urllib.parse import quote

    _, page = server.page(target.format(*[quote(SCRIPT, safe="")] * 2))
    assert "<img" not in page
    assert "<script>window" not in page
