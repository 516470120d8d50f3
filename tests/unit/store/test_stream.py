import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.model.description import Field
from leadline.store.launches import EventReader, read_events, read_samples, sample_dtype

FIELDS = (Field("point", "<u4"), Field("series", "<u2"), Field("seconds", "<f8"))
START = {"event": "start", "format": 1, "library": "Bibliothèque 1", "sample": []}
EVENTS = [START, {"event": "begin", "point": 0}, {"event": "error", "message": "a\nb é"}]
LINES = b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in EVENTS)


def test_a_stream_cut_at_any_byte_gives_exactly_its_complete_lines(tmp_path):
    path = tmp_path / "events.jsonl"
    for cut in range(len(LINES) + 1):
        path.write_bytes(LINES[:cut])
        assert read_events(path) == EVENTS[: LINES[:cut].count(b"\n")]


def test_a_growing_file_gives_each_event_once(tmp_path):
    path = tmp_path / "events.jsonl"
    reader = EventReader(path)
    assert list(reader.new()) == []
    found = []
    for byte in LINES:
        with path.open("ab") as stream:
            stream.write(bytes([byte]))
        found.extend(reader.new())
    assert found == EVENTS
    assert list(reader.new()) == []


@given(cuts=st.lists(st.integers(0, len(LINES)), max_size=6))
def test_a_file_that_grows_in_any_steps_gives_each_event_once(tmp_path_factory, cuts):
    path = tmp_path_factory.mktemp("stream") / "events.jsonl"
    reader = EventReader(path)
    found = []
    for cut in [*sorted(cuts), len(LINES)]:
        path.write_bytes(LINES[:cut])
        found.extend(reader.new())
    assert found == EVENTS


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"#!/bin/sh\n", "line 1 is not an event"),
        (b"[1, 2]\n", "line 1 is not an event"),
        (b"\x00\xff\xfe\n", "line 1 is not an event"),
        (b'{"event": "begin", "point": 0}\n', "does not begin with a start event"),
        (b'{"event": "start", "format": 7}\n', "is in format 7, this leadline reads format 1"),
        (b'{"event": "start"}\n', "is in format None"),
        (b'{"event": "start", "format": 1}\n{"event": "po{"event": 1}\n', "line 2 is not an event"),
        (b'{"event": "start", "format": 1}\n{"point": NaN}\n', "line 2 is not an event"),
    ],
)
def test_a_file_that_is_not_a_stream_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_events(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_samples_cut_at_any_byte_give_their_whole_records(tmp_path):
    table = np.zeros(3, sample_dtype(FIELDS))
    table["point"], table["series"], table["seconds"] = [1, 2, 3], [4, 5, 6], [0.5, 1e-9, 2.0]
    data, size = table.tobytes(), table.dtype.itemsize
    assert size == 14
    path = tmp_path / "samples.bin"
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        np.testing.assert_array_equal(read_samples(path, FIELDS), table[: cut // size])


def test_a_window_of_samples(tmp_path):
    table = np.zeros(5, sample_dtype(FIELDS))
    table["point"] = range(5)
    path = tmp_path / "samples.bin"
    path.write_bytes(table.tobytes())
    assert read_samples(path, FIELDS, 1, 3)["point"].tolist() == [1, 2]
    assert read_samples(path, FIELDS, 3, 99)["point"].tolist() == [3, 4]
    assert len(read_samples(path, FIELDS, 5)) == 0
    assert len(read_samples(tmp_path / "none.bin", FIELDS)) == 0


def test_a_layout_that_numpy_does_not_know_is_refused():
    with pytest.raises(UserError, match="point:uint99"):
        sample_dtype((Field("point", "uint99"),))
