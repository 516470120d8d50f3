"""Reports of the profiler mpiP: each rank's time in MPI, and the calls by place.

The format is the one that its documentation describes ("mpiP: A light-weight MPI profiler",
llnl.github.io/mpiP), as versions 3.3 to 3.5 write it. Of a place the line of all ranks counts
(rank `*`): those of single ranks may have been left out by a threshold. Numbers have three or four
digits, so that what they say twice is compared within their rounding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from leadline.core.errors import UserError
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.text import Line, Notes, number, whole, whole_lines
from leadline.model.recorded import ProfiledCalls, ProfiledRank, ProgramProfile

_BEGIN = "@ mpiP"
_END = "End of Report"
_CONCISE = "Task Time Statistics (seconds)"
_RANKS = "MPI Time (seconds)"
_PLACES = "Callsites"
_TIMES = "Callsite Time statistics (all, milliseconds)"
_BYTES = (
    "Callsite Message Sent statistics (all, sent bytes)",
    "Callsite I/O statistics (all, I/O bytes)",
    "Callsite RMA statistics (all, origin bytes)",
)
# Words of a line of these tables.
_WIDTH_OF_TIMES, _WIDTH_OF_BYTES = 9, 8
_LONGEST_TIMES = "Aggregate Time (top twenty, descending, milliseconds)"
_LARGEST_BYTES = "Aggregate Sent Message Size (top twenty, descending, bytes)"
_HEADS = ("Task", "ID", "Name", "Call")
_ALL = "*"
# A percentage is printed with two digits behind the point.
_PERCENT = 0.01
_LONGEST_PLACE = 300
_MOST_DIGITS = 300


class _Report(NamedTuple):
    """What the head says, the host of each rank, the lines of each section, and the last line."""

    head: dict[str, str]
    hosts: dict[int, str]
    sections: dict[str, list[Line]]
    end: int

    def rows(self, title: str) -> Iterator[tuple[Line, list[str]]]:
        """Yield the lines of a section below its headings, in words."""
        for line in self.sections.get(title, ()):
            words = line.text.split()
            if words and words[0] not in _HEADS:
                yield line, words


class _Printed(NamedTuple):
    """A number, and by how much rounding may have changed it."""

    value: float
    slack: float

    def times(self, factor: float) -> _Printed:
        return _Printed(self.value * factor, self.slack * factor)


class _Site(NamedTuple):
    """A callsite: its function without `MPI_`, and its number in the report."""

    call: str
    number: int


def read(source: Source) -> Reading:
    """Return the program's time. Raises `UserError` where no rank's time can be read."""
    notes = Notes(source)
    report = _split(whole_lines(source, notes), notes)
    if _CONCISE in report.sections:
        raise UserError(
            f"{source.path} is a concise report of mpiP, which has no time of each rank: run "
            "again without -c in the variable MPIP"
        )
    ranks, in_mpi = _ranks(report, notes)
    if not ranks:
        raise notes.nothing("mpiP")
    calls, remark = _calls(report, _places(report, notes), in_mpi, notes)
    total = max(len(report.hosts), ranks[-1].rank + 1)
    if len(ranks) < total:
        notes.lost(0, f"the time of {total - len(ranks)} of {total} ranks cannot be read")
    if _END not in report.sections:
        notes.lost(report.end, "the report has no end: it was cut")
    return Reading(
        program=f"mpiP {report.head.get('Version', '')}".strip(),
        file=str(source.path),
        remarks=notes.all(),
        when=_when(report.head.get("Start time", "")),
        profile=ProgramProfile(
            command=tuple(report.head.get("Command", "").split()),
            ranks_total=total,
            ranks=tuple(ranks),
            calls=tuple(sorted(calls, key=lambda one: (-one.seconds, one.call, one.where))),
            notes=(remark,) if remark else (),
        ),
    )


def _split(lines: Sequence[Line], notes: Notes) -> _Report:
    begins = [at for at, line in enumerate(lines) if line.text == _BEGIN]
    if len(begins) > 1:
        notes.lost(lines[begins[1]].number, "a second report begins here: import it by itself")
        lines = lines[: begins[1]]
    report = _Report({}, {}, {}, lines[-1].number if lines else 0)
    within: list[Line] | None = None
    for line in lines:
        name, _, value = (text.strip() for text in line.text.removeprefix("@ ").partition(":"))
        if name == "MPI Task Assignment":
            rank, _, host = value.partition(" ")
            if _is_number(rank) and re.fullmatch(r"[\w.-]+", host.strip(), re.ASCII):
                report.hosts[int(rank)] = host.strip()
            else:
                notes.lost(line.number, "this line tells the host of no rank")
        if line.text.startswith("@--- "):
            title = line.text.removeprefix("@--- ").rstrip("-").strip()
            within = report.sections.setdefault(re.sub(r": \d+$", "", title), [])
        elif line.text.startswith("@ "):
            report.head.setdefault(name, value)
        elif within is not None and line.text.strip("-"):
            within.append(line)
    return report


def _when(text: str) -> str:
    """Return a time as ISO 8601 writes it, empty where it is none.

    >>> _when("2026 01 31 10:15:00"), _when("today")
    ('2026-01-31T10:15:00', '')
    """
    found = re.fullmatch(r"(\d{4}) (\d\d) (\d\d) (\d\d:\d\d:\d\d)", text, re.ASCII)
    return f"{found[1]}-{found[2]}-{found[3]}T{found[4]}" if found else ""


def _ranks(report: _Report, notes: Notes) -> tuple[list[ProfiledRank], _Printed | None]:
    """Return the time of each rank, and the time in MPI of all, None where it is not known."""
    found: dict[int, ProfiledRank] = {}
    whole_mpi = None
    for line, words in report.rows(_RANKS):
        values = [_printed(word) for word in words[1:]]
        sound = [one for one in values if one]
        if len(words) != 4 or len(sound) != 3 or not _is_share(sound[2].value, *sound[1::-1]):
            notes.no_row(line)
        elif words[0] == _ALL:
            whole_mpi = sound[1]
        elif not _is_number(words[0]) or int(words[0]) in found or sound[0].value <= 0:
            notes.no_row(line)
        else:
            rank, seconds = int(words[0]), sound[0].value
            found[rank] = ProfiledRank(
                rank=rank,
                host=report.hosts.get(rank, ""),
                seconds=seconds,
                mpi_s=min(sound[1].value, seconds),
            )
    return [found[rank] for rank in sorted(found)], whole_mpi


def _places(report: _Report, notes: Notes) -> dict[_Site, str]:
    """Return where each callsite is: the innermost function first, then who called it."""
    frames: dict[int, list[str]] = defaultdict(list)
    calls: dict[int, str] = {}
    for line, words in report.rows(_PLACES):
        if len(words) < 4 or not (_is_number(words[0]) and _is_number(words[1])):
            notes.no_row(line)
            continue
        site = int(words[0])
        if words[1] == "0":
            calls[site] = words.pop()
        frames[site].append(_frame(words[2:]))
    return {_Site(call, site): " < ".join(frames[site])[:_LONGEST_PLACE]
            for site, call in calls.items()}  # fmt: skip


def _frame(words: Sequence[str]) -> str:
    """Return a frame of the stack as function, file and line; an address has no line.

    >>> _frame(["solver.c", "338", "solve(int,", "double)"]), _frame(["0x4005d2", "[unknown]"])
    ('solve(int, double) (solver.c:338)', '0x4005d2')
    """
    at = next((at for at, word in enumerate(words) if at and _is_number(word)), 0)
    file = f"{' '.join(words[:at])}:{words[at]}" if at else words[0]
    function = " ".join(words[at + 1 :])
    return file if function in ("", "[unknown]") else f"{function} ({file})"


def _calls(
    report: _Report, places: Mapping[_Site, str], in_mpi: _Printed | None, notes: Notes
) -> tuple[list[ProfiledCalls], str]:
    """Return the calls by place, and what the report leaves out of them."""
    if _TIMES not in report.sections:
        rows = (words for title in report.sections for _, words in report.rows(title))
        if _END in report.sections and not any(len(words) == _WIDTH_OF_TIMES for words in rows):
            return _longest_calls(report, places)
        notes.lost(0, "the heading of the times by callsite is missing")
        return [], ""
    sizes: dict[_Site, _Printed] = {}
    for title in _BYTES:
        totals = _totals(report, title, _WIDTH_OF_BYTES, notes)
        for site, (count, _, mean, _, total) in totals.items():
            if abs(total.value - count.value * mean.value) > total.slack + count.value * mean.slack:
                notes.lost(0, f"the bytes of callsite {site.number} do not agree")
            else:
                sizes[site] = total
    found = []
    for site, values in _totals(report, _TIMES, _WIDTH_OF_TIMES, notes).items():
        count, longest, mean, shortest, _, percent = values
        seconds = mean.times(count.value * 1e-3)
        ordered = longest.value + longest.slack >= mean.value >= shortest.value - shortest.slack
        if not ordered or (in_mpi and not _is_share(percent.value, seconds, in_mpi)):
            notes.lost(0, f"the times of callsite {site.number} do not agree")
            continue
        size = sizes.get(site)
        found.append(
            ProfiledCalls(
                call=f"MPI_{site.call}",
                where=places.get(site, ""),
                calls=int(count.value),
                bytes=round(size.value) if size else None,
                seconds=seconds.value,
                fastest_s=shortest.value * 1e-3,
                slowest_s=longest.value * 1e-3,
            )
        )
    return found, ""


def _totals(
    report: _Report, title: str, width: int, notes: Notes
) -> dict[_Site, tuple[_Printed, ...]]:
    """Return the numbers of all ranks together for each callsite, the count first.

    A callsite's lines end with them: where more follow, something was lost.
    """
    found: dict[_Site, tuple[_Printed, ...]] = {}
    listed: dict[_Site, float] = defaultdict(float)
    broken: set[_Site] = set()
    for line, words in report.rows(title):
        values = [_printed(word) for word in words[3:]]
        sound = tuple(one for one in values if one)
        right = len(words) == width and len(sound) == width - 3 and whole(sound[0].value)
        named = right and re.fullmatch(r"\w+", words[0], re.ASCII) and _is_number(words[1])
        if not named or not (words[2] == _ALL or _is_number(words[2])):
            notes.no_row(line)
            continue
        site = _Site(words[0], int(words[1]))
        if site in found:
            broken.add(site)
        elif words[2] == _ALL:
            found[site] = sound
        else:
            listed[site] += sound[0].value
    broken |= {site for site in listed if site not in found or listed[site] > found[site][0].value}
    for site in sorted(broken):
        notes.lost(0, f"the lines of callsite {site.number} ({site.call}) are damaged")
    return {site: values for site, values in found.items() if site not in broken}


def _longest_calls(report: _Report, places: Mapping[_Site, str]) -> tuple[list[ProfiledCalls], str]:
    """Return the calls that take the most time, from a report without those of each rank."""
    sent = {
        _Site(words[0], int(words[1])): round(total.value)
        for _, words in report.rows(_LARGEST_BYTES)
        if len(words) == 6 and _is_number(words[1]) and (total := _printed(words[3]))
    }
    found = []
    for _, words in report.rows(_LONGEST_TIMES):
        values = [one for word in words[2:] if (one := _printed(word))]
        if len(words) in (6, 7) and len(values) == len(words) - 2 and _is_number(words[1]):
            site = _Site(words[0], int(words[1]))
            if count := whole(values[3].value):
                found.append(
                    ProfiledCalls(
                        call=f"MPI_{site.call}",
                        where=places.get(site, ""),
                        calls=count,
                        bytes=sent.get(site),
                        seconds=values[0].value * 1e-3,
                    )
                )
    return found, "The report has only the 20 places that take the most time." if found else ""


def _printed(word: str) -> _Printed | None:
    value = number(word)
    if value is None:
        return None
    exponent = int(Decimal(word).as_tuple().exponent)
    return _Printed(value, 0.5 * 10.0 ** min(max(exponent, -_MOST_DIGITS), _MOST_DIGITS))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10


def _is_share(percent: float, part: _Printed, whole_of_it: _Printed) -> bool:
    """Tell whether a printed percentage may be that of a part of a whole, as both are rounded.

    >>> _is_share(1.76, _Printed(0.168, 0.0005), _Printed(9.51, 0.005))
    True
    >>> _is_share(2.76, _Printed(0.168, 0.0005), _Printed(9.51, 0.005))
    False
    """
    least = 100 * (part.value - part.slack) / (whole_of_it.value + whole_of_it.slack)
    room = whole_of_it.value - whole_of_it.slack
    most = 100 * (part.value + part.slack) / room if room > 0 else float("inf")
    return least - _PERCENT <= percent <= most + _PERCENT


READER = Reader(
    name="mpip",
    title="mpiP, a program's time in MPI",
    recognises=lambda source: any(
        line.rstrip() == _BEGIN for line in source.text[:2000].splitlines()[:5]
    ),
    read=read,
)
