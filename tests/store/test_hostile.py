"""Folders that nobody's leadline wrote."""

import os

import pytest

from leadline.errors import UserError
from leadline.store.folder import RunFolder
from leadline.store.lock import is_locked
from leadline.store.overview import overviews


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_run_json_is_refused_at_once(tmp_path, measured):
    sound = measured()
    sound.launch(0)
    sound.finish()
    strange = tmp_path / "runs" / "2026-01-02T030405-strange-0000"
    strange.mkdir()
    os.mkfifo(strange / "run.json")
    found = {overview.run: overview for overview, _ in overviews(tmp_path / "runs")}
    assert found[strange.name].state == "unreadable"
    assert "is not a file" in found[strange.name].message
    assert found[sound.folder.name].state == "complete"


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_the_lock_is_no_lock(tmp_path):
    os.mkfifo(tmp_path / "lock")
    assert not is_locked(tmp_path)


def test_json_of_any_depth_is_refused_in_words(tmp_path):
    folder = tmp_path / "2026-01-02T030405-deep-0000"
    folder.mkdir()
    deep = '{"format": 1, "machine": ' + '{"a":' * 100_000
    (folder / "run.json").write_text(deep)
    with pytest.raises(UserError, match="damaged or not leadline's"):
        RunFolder(folder).stored()
