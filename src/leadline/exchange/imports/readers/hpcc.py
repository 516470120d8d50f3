"""HPC Challenge: the latencies and bandwidths of its b_eff section, in `hpccoutf.txt`.

R. Rabenseifner, A. E. Koniges, "The Parallel Communication and I/O Bandwidth Benchmarks: b_eff and
b_eff_io", 2001. Ping-pong between pairs of ranks, and all ranks at once on a ring in their natural
and in random orders. A megabyte has 10^6 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leadline.exchange.imports.printed import Place, Subject, figure, reader
from leadline.exchange.imports.text import Line, Notes, date_of, first_match, position
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

_PINGPONG = Subject("hpcc/pingpong", "one-way", {}, 1)
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


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    notes.summaries = _SUMMARIES
    version, date = first_match(_VERSION, lines), first_match(_DATE, lines)
    notes.program = f"HPCC {version[1] if version else ''}"
    notes.when = date_of(date[1]) if date else ""
    begin = position(lines, _BEGIN.__eq__)
    if begin is None:
        return
    end = position(lines[begin:], _END.__eq__)
    section = lines[begin:] if end is None else lines[begin : begin + end]
    sizes = sorted({int(m[1]) for one in section if (m := _SIZE.fullmatch(one.text))})
    ranks = first_match(_RANKS, section)
    results = position(section, _RESULTS.__eq__)
    if end is None:
        notes.lost(lines[-1].number, "the b_eff section does not end")
    if results is None or len(sizes) != 2 or not (ranks and int(ranks[1])):
        notes.lost(lines[begin].number, "the b_eff section lacks its sizes, ranks or results")
        return
    place = Place(int(ranks[1]))
    missing = 4
    for line in section[results + 1 : results + 7]:
        for subject, size, seconds, metrics in (found := list(_of(line.text, *sizes))):
            yield figure(subject, seconds, place=place, mpi="hpcc", size=size, metrics=metrics)
        missing -= bool(found)
    if missing:
        number = section[results].number
        notes.lost(number, f"{missing} of the 4 lines of results below cannot be read")


def _of(
    text: str, small: int, large: int
) -> Iterator[tuple[Subject, int, float, dict[str, float]]]:
    """Yield subject, size, seconds and metrics of each figure in one line of the results."""
    if match := _LATENCY.fullmatch(text):
        low, mean, high = (float(one) / 1e3 for one in match.groups())
        if low <= mean <= high:
            yield _PINGPONG, small, mean, {"min_over_pairs_s": low, "max_over_pairs_s": high}
    elif match := _BANDWIDTH.fullmatch(text):
        low, mean, high = (float(one) * 1e6 for one in match.groups())
        if 0 < low <= mean <= high:
            metrics = {"min_over_pairs_s": large / high, "max_over_pairs_s": large / low}
            yield _PINGPONG, large, large / mean, metrics
    elif match := _RING.fullmatch(text):
        order = {"naturally": "natural", "randomly": "random"}[match[1]]
        ring = Subject("hpcc/ring", "per message", {"order": order}, 1)
        if (rate := float(match[3]) * 1e6) > 0:
            yield ring, small, float(match[2]) / 1e3, {}
            yield ring, large, large / rate, {}


READER = reader(
    "hpcc",
    "HPC Challenge, b_eff section",
    lambda text: _BEGIN in text or "HPC Challenge Benchmark" in text,
    _figures,
    _DEFINITIONS,
    program="HPCC's b_eff section",
)
