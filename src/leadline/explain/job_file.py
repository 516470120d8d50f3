"""Reads the file of a job, which the observer writes where a site has it in all programs.

Such files lie in a folder that everybody may write to: each is held for forged until it is read to
its end. Docs: docs/reference/formats.md, "The file of a job".
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
import numpy as np

from leadline.core.errors import UserError
from leadline.explain.places import Lines, find_lines
from leadline.explain.reading import AT_LEAST, ESTIMATED
from leadline.explain.recording import (
    Cost,
    Function,
    Marks,
    Peer,
    Rank,
    Recording,
    Row,
    Site,
    Threads,
    Unfinished,
)

Thing = TypeVar("Thing")
# Device, number, size and times of a file: another one has another stamp.
Stamp = tuple[int, int, int, int, int]

SUFFIX = ".job"
_MAGIC = b"leadline-job "
_VERSION = b"leadline-job 1"
# Of a hundred thousand ranks.
_MOST_BYTES, _MOST_LINES = 1 << 24, 1 << 20
_MOST_RANKS, _MOST_NODES, _MOST_IDS = 1 << 24, 1 << 20, 1 << 16
_LONGEST_TEXT = 4096
_LARGEST = 1 << 63
_KINDS = 16
_MOST_SLICES, _WHOLE = 32, 63
_MOST_THREADS = 1 << 22
_MOST_ONE_IN = 64
# A watcher keeps no more, and nobody saw a node become a thousand times slower.
_MOST_SLOW, _MOST_PERCENT = 16, 100_000
_STATES = range(1, 6)
RUNNING, ABORTED, GONE = 1, 4, 5
_ROOT = 0
# No clock of a cluster is farther off.
_CLOCKS_S = 86_400.0
_LOST = ("rows", "sites", "requests", "stamps")
_NAME = re.compile(rb"[A-Za-z_]\w{0,63}", re.ASCII)
_PRINTABLE = re.compile(rb"[!-~]+")
_SECONDS = re.compile(rb"\d{1,11}(?:\.\d{1,6})?")
_MICROSECOND = 1e-6


class SlowNode(msgspec.Struct, frozen=True, kw_only=True):
    """A host whose ranks computed `factor` times longer for each call, and those of others not.

    `since` and `until` are seconds since the epoch; without `until` it had no end.
    """

    host: str
    since: float
    until: float | None
    factor: float


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job as its file has it.

    `began` and `written` are seconds since the epoch. `user` is the owner's name, by the file
    system; `stamp` is that of the file. `program` is the script's
    path where an interpreter ran one. `job` and `step` are empty where there was no scheduler.
    `stuck` is what the job's watcher said last of a hang or of dead ranks, `slow` are the nodes
    that it saw turn slow.
    """

    path: str
    stamp: Stamp
    began: float
    written: float
    uid: int
    user: str
    job: str = ""
    step: str = ""
    program: str = ""
    stuck: str = ""
    slow: tuple[SlowNode, ...] = ()
    recording: Recording

    @property
    def started(self) -> str:
        """When it began (ISO 8601)."""
        return datetime.fromtimestamp(self.began, UTC).isoformat(timespec="milliseconds")

    @property
    def is_open(self) -> bool:
        """Whether a rank had not ended when the file was written."""
        return any(rank.state == RUNNING for rank in self.recording.ranks)

    @property
    def is_aborted(self) -> bool:
        """Whether a rank aborted the job, which ends the others without a word of theirs."""
        return any(rank.state == ABORTED for rank in self.recording.ranks)

    @property
    def is_gone(self) -> bool:
        """Whether no rank has come to its end, and the watcher saw one die."""
        states = {rank.state for rank in self.recording.ranks}
        return GONE in states and states <= {RUNNING, GONE}


def stamp_of(status: os.stat_result) -> Stamp:
    """Return what tells a file as it is from any other one."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_dev, status.st_ino, status.st_size, *times)


def is_job_file(path: Path) -> bool:
    """Tell whether the path is meant as the file of a job: by its name, or its first words."""
    if path.suffix == SUFFIX:
        return not path.is_dir()
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        regular = stat.S_ISREG(os.fstat(number).st_mode)
        return regular and os.read(number, len(_MAGIC)) == _MAGIC
    except OSError:
        return False
    finally:
        os.close(number)


def read_job(path: str | Path, lines: bool = False) -> Job:
    """Return the job of a file; with `lines` its places have those of the source, where known.

    Raises `UserError`, a line that names the file, for any other file, a cut one, one whose numbers
    cannot be, and one that names another user than its owner, and not root.
    """
    data, status = _read(str(path))
    job = _Reader(str(path), data).job(status)
    if not lines:
        return job
    places = {row.site for row in job.recording.rows if row.site.address}
    found = find_lines(places, before_s=job.began, trusts=_is_trusted)
    return msgspec.structs.replace(job, recording=_with_lines(job.recording, found))


def _is_trusted(file: str) -> bool:
    """Tell whether a program that reads objects may read this one: a forged path is anybody's."""
    with suppress(OSError, ValueError):
        status = Path(file).stat()
        return stat.S_ISREG(status.st_mode) and status.st_uid in (0, os.geteuid())
    return False


def _with_lines(recording: Recording, lines: Lines) -> Recording:
    def placed(row: Row) -> Row:
        line = lines.get(row.site.key, "")
        if not line:
            return row
        return msgspec.structs.replace(row, site=msgspec.structs.replace(row.site, line=line))

    ranks = tuple(
        msgspec.structs.replace(rank, rows=tuple(map(placed, rank.rows)))
        for rank in recording.ranks
    )
    return msgspec.structs.replace(recording, ranks=ranks)


def _read(path: str) -> tuple[bytes, os.stat_result]:
    """Return the bytes of a regular file that is not too large, and its status."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        number = os.open(path, flags)
    except (OSError, ValueError) as error:
        if Path(path).is_symlink():
            raise UserError(f"{path}: a symbolic link is no file of a job: name the file") from None
        raise UserError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path}: not a regular file, so no job wrote it")
        if status.st_size > _MOST_BYTES:
            raise UserError(
                f"{path}: {status.st_size} bytes, more than a job writes ({_MOST_BYTES})"
            )
        data = b""
        while chunk := os.read(number, _MOST_BYTES + 1 - len(data)):
            data += chunk
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    finally:
        os.close(number)
    return data, status


class _Wrong(Exception):
    """What is wrong with a line."""


class _RankLines(NamedTuple):
    """The lines that belong to one rank, as numbers."""

    line: int
    head: list[int]
    is_queued: bool
    rows: list[list[int]]
    rest: list[list[int]]
    peers: dict[int, Peer]
    within: list[list[int]]
    slices: list[Marks]
    threads: list[Threads]


class _Reader:
    """Reads the lines of one file, and then puts together what they refer to."""

    def __init__(self, path: str, data: bytes) -> None:
        self._path = path
        self._data = data
        self._at = 1
        self._words: dict[bytes, tuple[int, bytes]] = {}
        self._hosts: dict[int, str] = {}
        self._functions: dict[int, Function] = {}
        self._objects: dict[int, str] = {}
        self._places: dict[int, tuple[str, int, int]] = {}
        self._ranks: dict[int, _RankLines] = {}
        self._last: _RankLines | None = None
        self._slow: list[SlowNode] = []
        self._observed: Cost | None = None
        self._total = 0
        self._made: dict[int, Site] = {0: Site()}

    def job(self, status: os.stat_result) -> Job:
        """Return what the file holds. Raises `UserError`."""
        try:
            self._read_lines()
            return self._whole(status)
        except _Wrong as wrong:
            self._refuse(str(wrong))
        except (ValueError, KeyError, IndexError, OverflowError):
            self._refuse("not what a job writes")

    def _refuse(self, why: str) -> NoReturn:
        raise UserError(f"{self._path}: line {self._at}: {why}") from None

    def _read_lines(self) -> None:
        lines = self._data.split(b"\n")
        if lines[0] != _VERSION:
            known = lines[0].startswith(_MAGIC)
            raise _Wrong("written by another version of leadline" if known else "no file of a job")
        if len(lines) > _MOST_LINES:
            raise _Wrong("too many lines")
        if lines[-1] != b"" or lines[-2] != b"end":
            self._at = len(lines) - 1
            raise _Wrong("the file is cut: it has no end")
        readers = {
            b"row": self._row, b"rest": self._rest, b"peer": self._peer, b"rank": self._rank,
            b"place": self._place, b"object": self._object, b"function": self._function,
            b"in": self._in, b"slices": self._slices, b"threads": self._threads,
            b"host": self._host, b"ranks": self._ranks_total,
            b"slow": self._slow_node, b"cost": self._cost,
        }  # fmt: skip
        for self._at, line in enumerate(lines[1:-2], 2):
            name, _, rest = line.partition(b" ")
            if reader := readers.get(name):
                reader(rest)
            elif name in _WORDS:
                if name in self._words:
                    raise _Wrong(f"a second line {name.decode()!r}")
                self._words[name] = self._at, rest
            else:
                raise _Wrong("a line of no known kind")

    def _ranks_total(self, rest: bytes) -> None:
        if self._total:
            raise _Wrong("a second line 'ranks'")
        (self._total,) = _numbers(rest, 1)
        if not 0 < self._total <= _MOST_RANKS:
            raise _Wrong(f"{self._total} ranks cannot be")

    def _host(self, rest: bytes) -> None:
        number, name = _fields(rest, 2)
        _add(self._hosts, _number(number, _MOST_NODES), _text(name), "host")

    def _slow_node(self, rest: bytes) -> None:
        host, *times = _fields(rest, 4)
        since, until, percent = _whole_numbers(times)
        if len(self._slow) == _MOST_SLOW:
            raise _Wrong(f"more than {_MOST_SLOW} slow nodes")
        if not _text(host) or (until and until < since) or not 100 < percent <= _MOST_PERCENT:
            raise _Wrong("no slow node can be so")
        self._slow.append(
            SlowNode(
                host=_text(host),
                since=float(since),
                until=float(until) if until else None,
                factor=percent / 100,
            )
        )

    def _function(self, rest: bytes) -> None:
        number, known = _function(rest)
        _add(self._functions, number, known, "function")

    def _object(self, rest: bytes) -> None:
        number, path = _fields(rest, 2)
        _add(self._objects, _number(number, _MOST_IDS), _text(path), "object")

    def _place(self, rest: bytes) -> None:
        number, text, of, address = _fields(rest, 4)
        place = (_text(text), _number(of, _MOST_IDS), _number(address))
        identifier = _number(number, _MOST_IDS)
        if not identifier:
            raise _Wrong("place 0 is that which is not known")
        _add(self._places, identifier, place, "place")

    def _rank(self, rest: bytes) -> None:
        fields = _fields(rest, 16)
        is_queued = fields[8] != b"-"
        for at in (8, 9, 10):
            if fields[at] == b"-":
                fields[at] = b"0"
        head = _whole_numbers(fields)
        if head[0] >= self._total:
            raise _Wrong(f"rank {head[0]} of {self._total}: the line 'ranks' is above all ranks")
        if head[2] not in _STATES:
            raise _Wrong(f"no state {head[2]}")
        self._last = _RankLines(self._at, head, is_queued, [], [], {}, [], [], [])
        _add(self._ranks, head[0], self._last, "rank")

    def _of_rank(self) -> _RankLines:
        if self._last is None:
            raise _Wrong("no rank is above")
        return self._last

    def _row(self, rest: bytes) -> None:
        self._of_rank().rows.append(_numbers(rest, 13))

    def _rest(self, rest: bytes) -> None:
        self._of_rank().rest.append(_numbers(rest, 8))

    def _peer(self, rest: bytes) -> None:
        rank, messages, size, waited, calls = _numbers(rest, 5)
        if rank >= self._total:
            raise _Wrong(f"no rank {rank}")
        _add(
            self._of_rank().peers, rank, Peer(messages, size, waited * _MICROSECOND, calls), "peer"
        )

    def _in(self, rest: bytes) -> None:
        within = self._of_rank().within
        if within:
            raise _Wrong("a rank is in two calls")
        within.append(_numbers(rest, 3))

    def _slices(self, rest: bytes) -> None:
        slices = self._of_rank().slices
        if slices:
            raise _Wrong("a rank has slices twice")
        # An older observer did not ask what a hypervisor took, the last field.
        width, used, *texts = _fields(rest, 7 if rest.count(b" ") == 6 else 6)
        width_s, count = _number(width) * _MICROSECOND, _number(used, _MOST_SLICES)
        if not width_s or not count:
            raise _Wrong("no slices")
        computing, queued, throttled, clock, *stolen = (_parts(text, count) for text in texts)
        slices.append(
            Marks(
                at_s=np.linspace(width_s, count * width_s, count),
                mpi_s=np.cumsum(1 - computing) * width_s,
                queued_s=np.cumsum(queued) * width_s,
                throttled_s=np.cumsum(throttled) * width_s,
                probe_s=1 + clock,
                stolen_s=np.cumsum(stolen[0]) * width_s if stolen else None,
            )
        )

    def _threads(self, rest: bytes) -> None:
        threads = self._of_rank().threads
        if threads:
            raise _Wrong("a rank has threads twice")
        workers, cores, wanted = _numbers(rest, 3)
        if not 0 < workers <= _MOST_THREADS or not 0 < cores <= _MOST_THREADS:
            raise _Wrong("threads or processors that cannot be")
        threads.append(Threads(workers, cores, wanted * _MICROSECOND))

    def _cost(self, rest: bytes) -> None:
        if self._observed:
            raise _Wrong("a second line 'cost'")
        own, one_in = _numbers(rest, 2)
        if not 0 < one_in <= _MOST_ONE_IN:
            raise _Wrong(f"one call cannot tell of {one_in}")
        self._observed = Cost(own * _MICROSECOND, one_in)

    def _whole(self, status: os.stat_result) -> Job:
        """Put together what the lines refer to: what is missing is known only at the end."""
        if not self._ranks:
            raise _Wrong("no rank")
        program = self._word(b"script") or self._word(b"program") or b"-"
        known = {"program": _text(program), "library": _text(self._word(b"library") or b"-")}
        known["stuck"] = _text(self._word(b"stuck") or b"-")
        known["job"], known["step"] = map(_text, _fields(self._word(b"job") or b"- -", 2))
        named = _number(self._word(b"user"), 1 << 32)
        # Whoever is root in a container is not root here: it is a file of its owner all the same.
        if named not in (_ROOT, status.st_uid):
            raise _Wrong(
                f"it names user {named} and belongs to user {status.st_uid}: forged, or copied"
            )
        ranks = tuple(self._made_rank(number) for number in sorted(self._ranks))
        longest = max(rank.seconds for rank in ranks)
        began = self._word(b"began")
        if not _SECONDS.fullmatch(began):
            raise _Wrong("no time at which it began")
        if float(began) + longest > status.st_ctime + _CLOCKS_S:
            raise _Wrong("it has run for longer than since it began")
        if self._observed and self._observed.own_s > sum(rank.seconds for rank in ranks):
            raise _Wrong("observing took longer than the ranks")
        for each in self._slow:
            last = max(each.since, each.until or 0)
            if each.since < float(began) - _CLOCKS_S or last > status.st_ctime + _CLOCKS_S:
                raise _Wrong(f"{each.host} was slow while the job did not run")
        return Job(
            path=self._path,
            stamp=stamp_of(status),
            began=float(began),
            written=status.st_mtime,
            uid=status.st_uid,
            user=user_name(status.st_uid),
            job=known["job"],
            step=known["step"],
            program=known["program"],
            stuck=known["stuck"],
            slow=tuple(self._slow),
            recording=Recording(
                ranks=ranks,
                ranks_total=self._total,
                library=known["library"],
                cost=self._observed,
            ),
        )

    def _word(self, name: bytes) -> bytes:
        """Return what a line holds that is there once, empty where it is missing."""
        self._at, rest = self._words.get(name, (self._at, b""))
        return rest

    def _site(self, place: int) -> Site:
        if place not in self._made:
            if place not in self._places:
                raise _Wrong(f"no place {place}, which a row names")
            text, of, address = self._places[place]
            if of and of not in self._objects:
                raise _Wrong(f"no object {of}, which a place names")
            self._made[place] = Site(text, self._objects[of] if of else "", address)
        return self._made[place]

    def _function_of(self, number: int) -> Function:
        if number not in self._functions:
            raise _Wrong(f"no function {number}, which a row names")
        return self._functions[number]

    def _made_rank(self, number: int) -> Rank:
        one = self._ranks[number]
        self._at = one.line
        _, node, state, wall, mpi, waiting, files, other, queued, before, after, *rest = one.head
        if node not in self._hosts:
            raise _Wrong(f"no host {node}, which rank {number} names")
        rows = [self._made_row(*row) for row in one.rows if row[6]]
        rows += [self._made_row(row[0], 0, 0, 0, 0, 0, *row[1:]) for row in one.rest if row[1]]
        unfinished = None
        for function, place, since in one.within:
            where = self._site(place).where
            unfinished = Unfinished(self._function_of(function), since * _MICROSECOND, where)
        return Rank(
            rank=number,
            node=node,
            host=self._hosts[node],
            state=state,
            seconds=wall * _MICROSECOND,
            mpi_s=mpi * _MICROSECOND,
            waiting_s=waiting * _MICROSECOND,
            files_s=files * _MICROSECOND,
            other_threads_s=other * _MICROSECOND,
            queued_s=queued * _MICROSECOND if one.is_queued else None,
            before_s=before * _MICROSECOND,
            after_s=after * _MICROSECOND,
            calls=rest[0],
            rows=tuple(rows),
            peers=one.peers,
            lost={what: many for what, many in zip(_LOST, rest[1:], strict=True) if many},
            unfinished=unfinished if state in (RUNNING, GONE) else None,
            marks=one.slices[0] if one.slices else None,
            threads=one.threads[0] if one.threads else None,
        )

    def _made_row(
        self, function: int, place: int, size_class: int, ranks: int, nodes: int, flags: int,
        calls: int, size: int, time: int, waiting: int, slowest: int, sender: int, receiver: int,
    ) -> Row:  # fmt: skip
        return Row(
            function=self._function_of(function),
            site=self._site(place),
            size_class=size_class,
            comm_ranks=ranks,
            nodes=nodes,
            calls=calls,
            bytes=size,
            seconds=time * _MICROSECOND,
            waiting_s=min(waiting, time) * _MICROSECOND,
            slowest_s=slowest * _MICROSECOND,
            late_sender_s=sender * _MICROSECOND,
            late_receiver_s=receiver * _MICROSECOND,
            at_least=bool(flags & AT_LEAST),
            estimated=bool(flags & ESTIMATED),
        )


_WORDS = (b"began", b"user", b"job", b"program", b"script", b"library", b"api", b"stuck")


def _fields(rest: bytes, amount: int) -> list[bytes]:
    fields = rest.split(b" ")
    if len(fields) != amount:
        raise _Wrong(f"{len(fields)} fields, {amount} are expected")
    return fields


def _numbers(rest: bytes, amount: int) -> list[int]:
    """Return so many numbers; no sign, no point, nothing else."""
    return _whole_numbers(_fields(rest, amount))


def _whole_numbers(fields: list[bytes]) -> list[int]:
    if not b"".join(fields).isdigit():
        raise _Wrong("not a number")
    numbers = list(map(int, fields))
    if max(numbers) >= _LARGEST:
        raise _Wrong("a number that is too large")
    return numbers


def _parts(text: bytes, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the parts of so many slices, a letter for each; `-` is nothing in all of them."""
    parts = np.frombuffer(text if text != b"-" else b"0" * count, dtype=np.uint8).astype(float)
    parts -= ord("0")
    if len(parts) != count or not (parts.min() >= 0 and parts.max() <= _WHOLE):
        raise _Wrong("no parts of slices")
    return parts / _WHOLE


@lru_cache(maxsize=4096)
def _function(rest: bytes) -> tuple[int, Function]:
    number, name, kind = _fields(rest, 3)
    if not _NAME.fullmatch(name):
        raise _Wrong("no name of a function")
    return _number(number, _MOST_IDS), Function(name.decode(), _number(kind, _KINDS))


def _number(field: bytes, most: int = _LARGEST - 1) -> int:
    (number,) = _numbers(field, 1)
    if number > most:
        raise _Wrong(f"{number} is too large: {most} at most")
    return number


def _text(field: bytes) -> str:
    """Return a string; `-` is the empty one. What it holds is anybody's: it stays in its line."""
    if field == b"-":
        return ""
    if len(field) > 3 * _LONGEST_TEXT or not _PRINTABLE.fullmatch(field):
        raise _Wrong("no string")
    text = unquote_to_bytes(field).decode(errors="replace")
    if len(text) > _LONGEST_TEXT:
        raise _Wrong("a string that is too long")
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _add(known: dict[int, Thing], number: int, thing: Thing, what: str) -> None:
    if number in known:
        raise _Wrong(f"{what} {number} twice")
    known[number] = thing


_names: dict[int, str] = {}


def user_name(uid: int) -> str:
    """Return the name of a user, or the number of one who has none."""
    if uid not in _names:
        import pwd

        try:
            _names[uid] = pwd.getpwuid(uid).pw_name
        except (KeyError, OverflowError):
            _names[uid] = str(uid)
    return _names[uid]
