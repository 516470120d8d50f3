"""HPC Challenge: the latencies and bandwidths of its b_eff section, in `hpccoutf.txt`.

R. Rabenseifner, A. E. Koniges, "The Parallel Communication and I/O Bandwidth Benchmarks: b_eff and
b_eff_io", 2001. Ping-pong between pairs of ranks, and all ranks at once on a ring in their natural
and in random orders. A megabyte has 10^6 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leadline.exchange.imports.printed import Place, Subject, figure, reading
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.text import Line, Notes, date_of, first_match, whole_lines
from leadline.model.summary import PointSummary

_N = r"(\d{1,12}\.\d+)"
_SIZE = re.compile(r"Message Size: +(\d{1,10}) Byte")
_RANKS = re.compile(r"Execution time \(wall clock\) += +[\d.]+ sec on (\d{1,9}) processes")
_VERSION = re.compile(r"This is the DARPA/DOE HPC Challenge Benchmark version ([\d.]+) .*")
_DATE = re.compile(r"Current time \(\d+\) is (\w{3} \w{3} +\d+ [\d:]{8} \d{4})")
_BEGIN, _END = "Begin of LatencyBandwidth section.", "End of LatencyBandwidth section."
_RESULTS = "Detailed benchmark results:"
_LATENCY = re.compile(rf"Latency +min / avg / max: +{_N} / +{_N} / +{_N} msecs")
_BANDWIDTH = re.compile(rf"Bandwidth min / avg / max: +{_N} / +{_N} / +{_N} MByte/s")
_RING = re.compile(
    rf"On (naturally|randomly) +ordered ring: latency= +{_N} msec, bandwidth= +{_N} MB/s"
)

_DEFINITIONS = {
    "hpcc/pingpong": "HPCC: half of a round trip, averaged over many pairs of ranks, one pair at a "
    "time; the large size by its average bandwidth",
    "hpcc/ring": "HPCC: what it prints for a message while every rank exchanges messages with both "
    "its neighbours on a ring; random: averaged over several orders of the ranks",
}
_SUMMARIES = {
    "hpcc/pingpong": "ping-pong between pairs of ranks (HPC Challenge)",
    "hpcc/ring": "all ranks at once on a ring (HPC Challenge)",
}


def read(source: Source) -> Reading:
    """Return the figures of the section's last results. Raises `UserError` where none is sound."""
    notes = Notes(source)
    lines = whole_lines(source, notes)
    figures = tuple(_figures(lines, notes))
    version, date = first_match(_VERSION, lines), first_match(_DATE, lines)
    return reading(
        source,
        notes,
        f"HPCC {version[1] if version else ''}",
        "HPCC's b_eff section",
        figures,
        _DEFINITIONS,
        _SUMMARIES,
        when=date_of(date[1]) if date else "",
    )


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    begin = next((i for i, line in enumerate(lines) if line.text == _BEGIN), None)
    if begin is None:
        return
    texts = [line.text for line in lines]
    end = texts.index(_END, begin) if _END in texts[begin:] else len(lines)
    section = lines[begin:end]
    sizes = sorted({int(m[1]) for one in section if (m := _SIZE.fullmatch(one.text))})
    ranks = first_match(_RANKS, section)
    results = next((i for i, one in enumerate(section) if one.text == _RESULTS), None)
    if end == len(lines):
        notes.lost(lines[-1].number, "the b_eff section does not end")
    if results is None or len(sizes) != 2 or not (ranks and int(ranks[1])):
        notes.lost(lines[begin].number, "the b_eff section lacks its sizes, ranks or results")
        return
    place = Place(int(ranks[1]))
    missing = 4
    for line in section[results + 1 : results + 7]:
        found = list(_of(line.text, sizes[0], sizes[1], place))
        missing -= bool(found)
        yield from found
    if missing:
        number = section[results].number
        notes.lost(number, f"{missing} of the 4 lines of results below cannot be read")


def _of(text: str, small: int, large: int, place: Place) -> Iterator[PointSummary]:
    """Yield the figures of one line of the results."""
    pingpong = Subject("hpcc/pingpong", "one-way", {}, 1)
    if found := _LATENCY.fullmatch(text):
        low, mean, high = (float(one) / 1e3 for one in found.groups())
        metrics = {"min_over_pairs_s": low, "max_over_pairs_s": high}
        if low <= mean <= high:
            yield figure(pingpong, mean, place=place, mpi="hpcc", size=small, metrics=metrics)
    elif found := _BANDWIDTH.fullmatch(text):
        low, mean, high = (float(one) * 1e6 for one in found.groups())
        if 0 < low <= mean <= high:
            metrics = {"min_over_pairs_s": large / high, "max_over_pairs_s": large / low}
            seconds = large / mean
            yield figure(pingpong, seconds, place=place, mpi="hpcc", size=large, metrics=metrics)
    elif found := _RING.fullmatch(text):
        order = {"naturally": "natural", "randomly": "random"}[found[1]]
        ring = Subject("hpcc/ring", "per message", {"order": order}, 1)
        if (rate := float(found[3]) * 1e6) > 0:
            yield figure(ring, float(found[2]) / 1e3, place=place, mpi="hpcc", size=small)
            yield figure(ring, large / rate, place=place, mpi="hpcc", size=large)


READER = Reader(
    name="hpcc",
    title="HPC Challenge, b_eff section",
    recognises=lambda source: _BEGIN in source.text or "HPC Challenge Benchmark" in source.text,
    read=read,
)
