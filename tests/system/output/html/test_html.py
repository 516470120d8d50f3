"""The script of the charts: built once, and again where it is damaged."""

import gzip

from leadline.output.html.vega import bundle


def test_script_is_built_once_and_again_when_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    first = bundle()
    (kept,) = (tmp_path / "cache").iterdir()
    content = kept.read_bytes()
    assert b"vegaEmbed" in gzip.decompress(content)
    kept.write_bytes(content[:1000])
    assert bundle() == first
    assert kept.read_bytes() == content


def test_home_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "file"))
    assert bundle().digest.startswith("sha256-")
