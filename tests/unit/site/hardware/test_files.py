import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files, format_cpus, parse_cpus


@given(st.sets(st.integers(0, 500)))
def test_a_processor_list_survives_writing_and_reading(cpus):
    assert parse_cpus(format_cpus(cpus)) == sorted(cpus)


@pytest.mark.parametrize("text", ["a", "1-b", "-1", "1;2"])
def test_a_foreign_processor_list_is_one_clear_line(text):
    with pytest.raises(UserError, match="is not numbers and ranges"):
        parse_cpus(text)


def test_what_is_missing_is_none(tmp_path):
    files = Files(tmp_path)
    assert files.text("/proc/none") is None
    assert files.number("/proc/none") is None
    assert files.choice("/proc/none") is None
    assert files.table("/proc/none") == {}
    assert files.names("/proc/none") == []
    assert not files.exists("/proc/none")


def test_each_kind_of_content_is_read(tmp_path):
    (tmp_path / "choice").write_text("always [madvise] never\n")
    (tmp_path / "number").write_text("-1\n")
    (tmp_path / "words").write_text("key one : value: two\nkey one : later\n")
    files = Files(tmp_path)
    assert files.choice("choice") == "madvise"
    assert files.number("/number") == -1
    assert files.number("words") is None
    assert files.table("words") == {"key one": "value: two"}
    assert files.names("/") == ["choice", "number", "words"]
