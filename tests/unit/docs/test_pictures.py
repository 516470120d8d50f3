"""Pictures in the documents: small, and alone."""

from checkout import CHECKOUT

PICTURES = sorted((CHECKOUT / "docs/pictures").iterdir())


def test_pictures_are_small_and_load_nothing():
    assert {picture.stem for picture in PICTURES} >= {"verdict", "report", "report-phone"}
    for picture in PICTURES:
        assert picture.stat().st_size < 200_000, picture.name
        if picture.suffix == ".svg":
            text = picture.read_text(encoding="utf-8")
            assert "https:" not in text and "<script" not in text
