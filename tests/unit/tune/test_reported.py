"""The sizes of a program, from its report."""

import json

import pytest

from leadline.core.errors import UserError
from leadline.tune.recorded import sizes_of


def row(from_bytes, calls, bytes_, seconds):
    return {
        "function": "bcast", "from_bytes": from_bytes, "calls": calls, "bytes": bytes_,
        "seconds": seconds,
    }  # fmt: skip


@pytest.fixture
def report(tmp_path):
    def write(*rows):
        path = tmp_path / "report.json"
        path.write_text(json.dumps({"format": 1, "ranks": 2, "calls": rows}))
        return path

    return write


def test_each_class_of_sizes_is_its_mean_and_those_that_took_longest_count(report):
    rows = [row(2**n, 10, 10 * 2**n, n) for n in range(12)]
    assert sizes_of(report(*rows)) == [2**n for n in range(4, 12)]
    mixed = [row(4096, 3, 3 * 5000, 1.0), row(4096, 1, 8000, 1.0), row(None, 5, 0, 9.0)]
    assert sizes_of(report(*mixed)) == [5750]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no report as JSON"),
        ('{"format": 1}', "is no report as JSON"),
        ('{"format": 1, "calls": []}', "has no call that moves data"),
        (None, "No such file"),
    ],
)
def test_what_is_no_report_is_one_line(tmp_path, text, said):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=said) as refusal:
        sizes_of(path)
    assert "\n" not in str(refusal.value)
