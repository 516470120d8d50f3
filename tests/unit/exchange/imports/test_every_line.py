"""Each row of a file that was edited, cut or mixed with other outputs is read or named."""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import READERS
from leadline.exchange.imports.reader import Source
from leadline.exchange.imports.text import untagged

DATA = Path(__file__).parent / "data"
# Tables with a row a figure or more: raw samples are read by the thousand, HPCC has no table.
FILES = sorted(
    path.name
    for path in DATA.iterdir()
    if path.name.startswith(("osu", "imb", "nccl", "netpipe", "reprompi-summary"))
)
EXAMPLES = int(os.environ.get("LEADLINE_MUTATIONS", "20"))
FOREIGN = [
    "node7:4711:4711 [0] NCCL INFO Channel 00 is ready",
    "node7:4711:4720 [1] NCCL INFO comm 0x55d0 rank 0 nranks 2 cudaDev 0 busId 1000",
    "[node1:00123] mca_btl_tcp_endpoint_recv_blocking: Connection reset by peer (104)",
    "  another program was here",
    "srun: step #2 has started",
    "WARNING: There was an error initializing an OpenFabrics device.",
    "",
]


def readings(name, text):
    """Return figures and remarks of a text, none where nothing in it can be read."""
    source = Source(path=DATA / name, text=untagged(text))
    reader = next((one for one in READERS if one.recognises(source)), None)
    if reader is None:
        return None
    try:
        found = reader.read(source)
    except UserError:
        return None
    return len(found.figures), found.remarks


@cache
def rows_of(name):
    """Return the lines of a file, each with the number of figures that it holds."""
    text = re.sub(r"\x1b\[\d*m", "", (DATA / name).read_text(encoding="utf-8"))
    lines = text.split("\n")
    whole, _ = readings(name, "\n".join(lines))
    found = []
    for at, line in enumerate(lines):
        looks = "#" not in line and re.search(r"\d", line)
        less = readings(name, "\n".join(lines[:at] + lines[at + 1 :])) if looks else (whole, ())
        found.append((line, whole - less[0] if less else 0))
    assert sum(weight for _, weight in found) == whole
    return tuple(found)


def lost_weight(lines, remarks):
    """Return how many figures the remarks name, and whether some are only counted."""
    total = 0
    for one in remarks:
        if one.kind == "assumed" or not one.line:
            continue
        several = re.search(r"(\d+) in all|with (\d+) rows?|(\d+) more lines", one.text)
        rows = [weight for _, weight in lines[one.line - 1 :] if weight]
        if several:
            total += sum(rows[: int(next(filter(None, several.groups())))])
        elif lines[one.line - 1][1]:
            total += lines[one.line - 1][1]
    return total


def mutated(draw, lines):
    """Return the lines after some edits; each keeps the number of figures that it had."""
    lines = list(lines)
    for _ in range(draw(st.integers(1, 4))):
        rows = [at for at, (_, weight) in enumerate(lines) if weight]
        at = draw(st.sampled_from(rows))
        text, weight = lines[at]
        kind = draw(st.sampled_from(["insert", "cut", "repeat", "swap", "remove"]))
        if kind == "insert":
            lines.insert(at, (draw(st.sampled_from(FOREIGN)), 0))
        elif kind == "cut":
            lines[at] = (
                text[: draw(st.integers(re.search(r"\d", text).end(), len(text)))],
                weight,
            )
        elif kind == "repeat":
            lines.insert(at, lines[at])
        elif kind == "swap":
            # A row in another table may hold other figures than in its own.
            near = [row for row in (at - 1, at + 1) if row in rows]
            other = draw(st.sampled_from(near or [at]))
            lines[at], lines[other] = lines[other], lines[at]
        elif len(rows) > 1:
            del lines[at]
    return lines


def dressed(draw, lines):
    """Return a text of the lines as another launcher or another country prints it."""
    if draw(st.booleans()):
        lines = [
            (re.sub(r"(\d)\.(\d)", r"\1,\2", line) if weight else line, weight)
            for line, weight in lines
        ]
    tag = draw(st.sampled_from(["", "[1,0]<stdout>:", "[job-1@1,0]<stdout>: "]))
    return "\n".join(tag + line if line else line for line, _ in lines)


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=EXAMPLES, derandomize=True)
@given(data=st.data())
def test_rows_in_are_rows_out_and_rows_named(name, data):
    lines = mutated(data.draw, rows_of(name))
    found = readings(name, dressed(data.draw, lines))
    assume(found is not None)
    figures, remarks = found
    rows = sum(weight for _, weight in lines)
    assert rows == figures + lost_weight(lines, remarks), remarks
