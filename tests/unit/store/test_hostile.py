"""Folders that nobody's leadline wrote."""

import os
import tempfile
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.store.folder import RunFolder
from leadline.store.lock import find_writer
from leadline.store.overview import overviews


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


def test_a_pipe_in_place_of_the_lock_is_no_lock(tmp_path):
    os.mkfifo(tmp_path / "lock")
    assert find_writer(tmp_path) is None


def test_json_of_any_depth_is_refused_in_words(tmp_path):
    folder = tmp_path / "2026-01-02T030405-deep-0000"
    folder.mkdir()
    deep = '{"format": 1, "machine": ' + '{"a":' * 100_000
    (folder / "run.json").write_text(deep)
    with pytest.raises(UserError, match="damaged or not leadline's"):
        RunFolder(folder).stored()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_of_somebody_else_does_not_hide_the_others():
    with tempfile.TemporaryDirectory() as temporary:
        runs = Path(temporary)
        runs.chmod(0o755)
        for name in ("2026-01-02T030405-closed-0000", "closed", "2026-01-02T030405-open-0001"):
            (runs / name).mkdir(mode=0o755)
            (runs / name / "run.json").write_text("{}")
            (runs / name).chmod(0o755 if "open" in name else 0o700)
        os.seteuid(65534)
        try:
            found = {overview.run: overview.message for overview, _ in overviews(runs)}
        finally:
            os.seteuid(0)
    assert list(found) == ["2026-01-02T030405-closed-0000", "2026-01-02T030405-open-0001"]
    assert "Permission denied" in found["2026-01-02T030405-closed-0000"]
    assert "damaged" in found["2026-01-02T030405-open-0001"]
