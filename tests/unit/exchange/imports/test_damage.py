"""Files that were cut or garbled: what is sound is read, and no figure is made up."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpip_report import report

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import READERS
from leadline.exchange.imports.reader import Source

DATA = Path(__file__).parent / "data"

# What mpiP writes is made, the rest was recorded.
MADE = {"mpip.txt": report(), "mpip-short.txt": report(detail=False)}
FILES = sorted([*MADE, *(path.name for path in DATA.iterdir())])
# Letters would make other host names, which nothing in a file contradicts.
NOISE = st.text(alphabet="?*\0~\x1b@é", min_size=1, max_size=12)


def read(name, text):
    """Return the figures in `text` as a file called `name`, counted, and the remarks."""
    source = Source(path=DATA / name, text=text)
    for reader in READERS:
        if reader.recognises(source):
            try:
                reading = reader.read(source)
            except UserError:
                return Counter(), None
            return Counter(keys(reading)), reading.remarks
    return Counter(), None


def keys(reading):
    """Yield what a file says: figures, or ranks and calls of a profile."""
    yield from map(key, reading.figures)
    if profile := reading.profile:
        yield from ((one.rank, one.seconds, one.mpi_s) for one in profile.ranks)
        yield from ((one.call, one.calls, one.seconds) for one in profile.calls)
        yield from ((one.call, one.bytes) for one in profile.calls if one.bytes is not None)


def key(figure):
    axes = tuple(sorted((name, str(value)) for name, value in figure.axes.items()))
    place = (figure.processes, figure.nodes)
    return (
        figure.benchmark,
        figure.series,
        axes,
        place,
        figure.median_s,
        figure.message_rate_per_s,
    )


def content(name):
    return MADE.get(name) or (DATA / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_sound_file_is_read_without_loss(name):
    figures, remarks = read(name, content(name))
    assert figures
    assert [one for one in remarks if one.kind == "lost"] == []


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=30, derandomize=True)
@given(data=st.data())
def test_a_cut_file_gives_what_was_there_before_the_cut(name, data):
    text = content(name)
    at = data.draw(st.integers(0, len(text)))
    whole, _ = read(name, text)
    found, remarks = read(name, text[:at])
    assert not found - whole
    # Nobody can see that a line is missing which began no more, or half of a comment.
    tail = text[:at].rpartition("\n")[2]
    if remarks is not None and text[at : at + 1] != "\n" and tail and tail[0] != "#":
        assert any(one.line == text[:at].count("\n") + 1 for one in remarks)


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=30, derandomize=True)
@given(data=st.data())
def test_a_garbled_file_gives_no_figure_that_is_not_in_the_sound_one(name, data):
    text = content(name)
    begin = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(begin, min(len(text), begin + 400)))
    # Whole lines that are replaced by foreign ones cannot be told from output of another program.
    assume(text[begin - 1 : begin] != "\n" or text[end : end + 1] != "\n")
    whole, _ = read(name, text)
    found, _ = read(name, text[:begin] + data.draw(NOISE) + text[end:])
    assert not found - whole


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=10, derandomize=True)
@given(data=st.data())
def test_no_bytes_are_a_traceback(name, data):
    text = content(name)
    begin = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(begin, min(len(text), begin + 200)))
    read(name, text[:begin] + data.draw(st.text(max_size=30)) + text[end:])


@pytest.mark.parametrize(
    "text",
    [
        "# OSU MPI " + "a " * 100_000,
        "# Benchmarking " + "9" * 100_000 + "\n",
        "# OSU MPI Latency Test v" + "9" * 5000 + "\n# Size  Latency (us)\n1  1.00\n",
        "  1: " + "9" * 500 + " B  1 times -->  1.000 Gbps  in  1.000 usecs\n",
        "# #processes = 99999999999999999999\n#@nprocs=" + "9" * 400 + "\n",
    ],
)
def test_what_never_ends_takes_no_time(text):
    assert not read("imb-p2p.txt", text + "\n")[0]
