"""Where a program's time went, as the shape that `leadline explain --json` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from leadline.explain.advice import advice
from leadline.explain.bounds import Bounds, shape_of
from leadline.explain.case import Advice, Case, about_s, percent_of, rank_words
from leadline.explain.job_file import Job, SlowNode
from leadline.explain.lateness import Lateness, lateness
from leadline.explain.over_time import OverTime, over_time
from leadline.explain.owners import (
    Efficiency,
    RankTime,
    between_begin_and_end,
    efficiency_of,
    owners,
    split_all,
    total,
)
from leadline.explain.recording import ABORT, BEGIN_AND_END, Cost, Recording, Region, Row
from leadline.model.recorded import Recorded

# A smaller part of the time without a bound is not worth measuring.
_WORTH = 0.01
# Of 95 estimates in 100 the error is less than so many standard errors.
_TWO_SIDED = 1.96
# The plan that measures a program's calls.
_PLAN = "app.toml"
_LOST = {
    "rows": "are in no table (it was full), their time counts as transfer",
    "sites": "have no place in the program (the table was full)",
    "requests": "have no waiting (too many open requests)",
    "stamps": "have no waiting (no room for arrivals)",
}
# What takes a smaller part of the time is not noted.
_WORTH_TELLING = 0.02


class SiteTime(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function from one place, of one class of sizes, of all ranks.

    `bytes` is the size of a call on average, and `slowest_s` and `fastest_s` the longest and the
    shortest of them; each is null where it is not known, and `ranks` is 0. `bound_s` is what the
    machine has been measured to need for as many calls, null where it was not. Where the waiting is
    `at_least` so long, more of it could not be told from transfer; where it is `estimated`, of
    short calls some stood for the others, with a standard error of `error_s`.
    """

    call: str
    where: str
    bytes: int | None
    calls: int
    ranks: int = 0
    waiting_s: float = 0.0
    transfer_s: float
    excess_s: float = 0.0
    tunable_s: float = 0.0
    bound_s: float | None = None
    slowest_s: float | None
    at_least: bool = False
    estimated: bool = False
    error_s: float = 0.0
    fastest_s: float | None = None

    @property
    def is_rough(self) -> bool:
        """Whether the waiting may be off by 1 % or more, or its error is not known."""
        error_s = _TWO_SIDED * self.error_s
        return self.estimated and self.waiting_s > 0 and not 0 < error_s < 0.01 * self.waiting_s

    @property
    def own_s(self) -> float:
        """What was no waiting."""
        return self.transfer_s + self.excess_s + self.tunable_s

    @property
    def seconds(self) -> float:
        """All that the calls took."""
        return self.waiting_s + self.own_s


class OpenCall(msgspec.Struct, frozen=True, kw_only=True):
    """The call for another rank in which a rank still was at the program's end."""

    rank: int
    call: str
    where: str
    seconds: float


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """What a rank sent to another one."""

    rank: int
    peer: int
    messages: int
    bytes: int


class RegionTime(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the time that the program has marked, of all ranks that came there together.

    It is what follows MPI_Pcontrol(level) at `where`, until the next such call.
    """

    level: int
    where: str
    ranks: int
    times: int
    computing_s: float
    waiting_s: float
    moving_s: float

    @property
    def seconds(self) -> float:
        """All that it took."""
        return self.computing_s + self.waiting_s + self.moving_s


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of a program went, and what to do.

    `seconds` is the wall time of the longest rank. `bounded` is the part of the time in MPI without
    waiting for which a bound is known; `measure` are commands that measure more of them. `notes`
    say what was lost or is not known. For `queued_s` an average rank could have run and had no
    processor; null where that is not known, or more ranks ran than there are cores. `open_calls`
    are those in which ranks waited when the program was ended, counted as waiting. Without
    `waiting_known` all time in MPI is transfer, since the profiler that watched does not tell
    waiting from it. Of the file of a job, `job` says whose it was and when, and `seen_until` (ISO
    8601) when the file was written, where the job had not ended then; else both are empty.
    Observing took `observing_s` of the main threads' time, null where that is not known.
    """

    run: str
    seconds: float
    ranks: tuple[RankTime, ...]
    sites: tuple[SiteTime, ...]
    late: Lateness
    advice: tuple[Advice, ...]
    efficiency: Efficiency
    command: tuple[str, ...] = ()
    mpi: str = ""
    library: str = ""
    hosts: tuple[str, ...] = ()
    ranks_total: int = 0
    bounded: float = 0.0
    measure: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sent: tuple[Sent, ...] = ()
    waiting_known: bool = True
    queued_s: float | None = None
    open_calls: tuple[OpenCall, ...] = ()
    job: str = ""
    seen_until: str = ""
    over_time: OverTime | None = None
    regions: tuple[RegionTime, ...] = ()
    observing_s: float | None = None


def explain(
    recording: Recording,
    bounds: Bounds,
    run: str = "",
    recorded: Recorded | None = None,
    mpi: str = "",
    tunable: frozenset[str] = frozenset(),
    matrix: str = "",
) -> Explained:
    """Return where the time of the recorded program went.

    `run` is the name or folder of the recording, `mpi` the name of its installation, `matrix` the
    file of what ranks sent each other. `tunable` are the collectives that can be tuned.
    """
    ranks, known = owners(recording, bounds)
    everything = total(ranks)
    late = lateness(recording, ranks)
    command = recorded.command if recorded else ()
    sites = _sites(recording, bounds)
    case = Case(
        recording=recording,
        ranks=ranks,
        bounds=bounds,
        late=late,
        run=run,
        mpi=mpi,
        command=command,
        cores=_cores(recording, recorded),
        tunable=tunable,
        matrix=matrix,
    )
    bounded = min(known / everything.own_s, 1.0) if everything.own_s else 1.0
    return Explained(
        run=run,
        seconds=recording.seconds,
        ranks=ranks,
        sites=sites,
        late=late,
        advice=advice(case),
        efficiency=efficiency_of(list(map(between_begin_and_end, recording.ranks, ranks))),
        command=command,
        mpi=mpi,
        library=recording.library,
        hosts=tuple(sorted(recording.hosts)),
        ranks_total=recording.ranks_total,
        bounded=bounded,
        measure=_measure(case, everything),
        notes=tuple(_notes(recording, everything, late, sites)),
        sent=tuple(
            Sent(rank=rank.rank, peer=other, messages=peer.messages, bytes=peer.bytes)
            for rank in recording.ranks
            for other, peer in sorted(rank.peers.items())
            if peer.messages
        ),
        queued_s=None if case.shares_cores else case.queued_s,
        open_calls=tuple(
            OpenCall(
                rank=rank.rank, call=last.function.name, where=last.where, seconds=last.seconds
            )
            for rank in recording.ranks
            if (last := rank.unfinished) and last.waits and last.seconds >= _WORTH * rank.seconds
        ),
        over_time=over_time(recording, ranks),
        regions=_regions(recording),
        observing_s=recording.cost.own_s if recording.cost else None,
    )


def of_job(found: Explained, job: Job) -> Explained:
    """Return what is known of a recording with what only the file of a job tells.

    It holds the calls that took longest, and no command measures calls that it does not hold.
    """
    when = datetime.fromtimestamp(job.began)
    number = f"job {job.job}{f'.{job.step}' if job.step else ''}" if job.job else "a job"
    about = (
        f"{number} of {job.user}, began {when:%d %b %Y %H:%M}: {job.program or 'unknown program'}"
    )
    slow = map(_slow_words, job.slow)
    found = msgspec.structs.replace(found, job=about, measure=(), notes=(*slow, *found.notes))
    if not job.is_open and not job.is_gone:
        return found
    written = datetime.fromtimestamp(job.written).astimezone()
    notes = [each for each in found.notes if "no end: killed" not in each]
    if not job.is_aborted:
        notes.insert(0, job.stuck or _without_end(job, f"{written:%d %b %Y at %H:%M}"))
    return msgspec.structs.replace(
        found,
        seen_until="" if job.is_aborted else written.isoformat(timespec="seconds"),
        notes=tuple(notes),
    )


def _slow_words(node: SlowNode) -> str:
    since = datetime.fromtimestamp(node.since)
    until = f"to {datetime.fromtimestamp(node.until):%H:%M:%S}" if node.until else "on"
    return (
        f"Node {node.host} computed {node.factor:.1f}x longer for each call from "
        f"{since:%d %b %H:%M:%S} {until}; the other nodes did not."
    )


def _without_end(job: Job, when: str) -> str:
    if job.is_gone:
        return f"The ranks were ended on {when}, none of them by itself."
    return (
        f"The job had not ended on {when}, when this was written: it goes on, or it was killed "
        "since."
    )


def _measure(case: Case, everything: RankTime) -> tuple[str, ...]:
    """Return the commands that measure the calls without a bound, none where these take no time."""
    unknown = sum(
        row.own_s for row in case.rows if shape_of(row) and case.bounds.seconds_of(row) is None
    )
    if not case.run or not unknown or unknown < _WORTH * everything.seconds:
        return ()
    named = ("--mpi", case.mpi) if case.mpi else ()
    return (
        case.leadline("explain", "--replay", case.run, "--output", _PLAN),
        case.leadline("run", _PLAN, *named),
    )


def _sites(recording: Recording, bounds: Bounds) -> tuple[SiteTime, ...]:
    """Return the calls of all ranks by place and size, those that took longest first."""
    groups: dict[object, list[Row]] = {}
    for row in recording.rows:
        key = (row.function.name, row.site.where, row.size_class, row.comm_ranks, row.nodes)
        groups.setdefault(key, []).append(row)
    found = [_site(rows, bounds) for rows in groups.values()]
    return tuple(sorted(found, key=lambda site: (-site.seconds, site.call, site.where, site.bytes)))


def _site(rows: Sequence[Row], bounds: Bounds) -> SiteTime:
    owner = split_all(rows, bounds)
    calls = sum(row.calls for row in rows)
    measured = [bound * row.calls for row in rows if (bound := bounds.seconds_of(row)) is not None]
    return SiteTime(
        call=rows[0].function.name,
        where=rows[0].site.where,
        bytes=round(sum(row.bytes for row in rows) / calls),
        calls=calls,
        ranks=rows[0].comm_ranks,
        waiting_s=sum(min(row.waiting_s, row.seconds) for row in rows),
        transfer_s=owner.transfer_s,
        excess_s=owner.excess_s,
        tunable_s=owner.tunable_s,
        bound_s=sum(measured) if len(measured) == len(rows) else None,
        slowest_s=max(row.slowest_s for row in rows),
        at_least=any(row.at_least for row in rows),
        estimated=any(row.estimated for row in rows),
        error_s=math.hypot(*(row.error_s for row in rows)),
    )


def _regions(recording: Recording) -> tuple[RegionTime, ...]:
    """Return what the program has marked, as it was first met."""
    groups: dict[tuple[int, str], list[Region]] = {}
    for rank in recording.ranks:
        for region in rank.regions:
            groups.setdefault((region.level, region.site.where), []).append(region)
    return tuple(
        RegionTime(
            level=level,
            where=where,
            ranks=len(regions),
            times=sum(region.times for region in regions),
            computing_s=sum(region.seconds - region.mpi_s for region in regions),
            waiting_s=sum(region.waiting_s for region in regions),
            moving_s=sum(region.mpi_s - region.waiting_s for region in regions),
        )
        for (level, where), regions in groups.items()
    )


def _cores(recording: Recording, recorded: Recorded | None) -> int:
    """Return how many cores all ranks had together, 0 where several hosts or another one had."""
    alone = recorded and recording.hosts == {recorded.host.partition(".")[0]}
    return recorded.cores if recorded and alone else 0


def _open_notes(recording: Recording) -> Iterator[str]:
    """Yield in which calls ranks were at the end, those in one call for as long together."""
    alike: dict[tuple[str, str], list[int]] = {}
    for rank in recording.ranks:
        last = rank.unfinished
        if last and last.waits and last.seconds >= _WORTH * rank.seconds:
            alike.setdefault((last.function.name, about_s(last.seconds)), []).append(rank.rank)
    for (call, seconds), ranks in alike.items():
        were = "was" if len(ranks) == 1 else "were"
        yield (
            f"{rank_words(ranks)} {were} in {call} for {seconds} at the end, counted as waiting."
        )


def _estimate_note(sites: Sequence[SiteTime], cost: Cost | None, whole: float) -> str:
    """Return how far off rough waiting is, empty where there is little of it."""
    rough = [site for site in sites if site.is_rough]
    waiting = sum(site.waiting_s for site in rough)
    if waiting < _WORTH * whole or not waiting:
        return ""
    error = _TWO_SIDED * math.hypot(*(site.error_s for site in rough))
    within = f", to within {percent_of(error, waiting)}" if error else ""
    one_in = cost.one_in if cost else 1
    return (
        f"Waiting with a ~ is estimated: of short calls one in up to {one_in} told how long all of "
        f"them waited{within}."
    )


def _notes(
    recording: Recording, everything: RankTime, late: Lateness, sites: Sequence[SiteTime]
) -> list[str]:
    """Return what was lost or is not known, a sentence each."""
    ranks, api, whole = recording.ranks, recording.api, everything.seconds
    gone = recording.ranks_total - len(ranks)
    running = [rank.rank for rank in ranks if rank.state in (1, 5)]
    aborted = [rank.rank for rank in ranks if rank.state == 4]
    lost = {what: sum(rank.lost.get(what, 0) for rank in ranks) for what in _LOST}
    other = sum(rank.other_threads_s for rank in ranks)
    at_least = sum(row.seconds for row in recording.rows if row.at_least)
    begun = sum(row.own_s for row in recording.rows if row.function.name in BEGIN_AND_END)
    found = [
        gone and f"{gone} of {recording.ranks_total} ranks left no recording.",
        running
        and f"{rank_words(running)} {'has' if len(running) == 1 else 'have'} no end: killed or "
        "still running. While a program hangs, `leadline stuck` says what it waits for.",
        aborted and f"{rank_words(aborted)} called {ABORT[api]}.",
        *_open_notes(recording),
        recording.also
        and f"The program calls {recording.also}, too: what it does there counts as computing.",
        *(calls and f"{calls} calls {_LOST[what]}." for what, calls in lost.items()),
        other and f"Other threads were in {api} for {about_s(other)}, which no owner has.",
        (observing := recording.cost.own_s if recording.cost else 0.0) >= _WORTH * whole > 0
        and f"Observing took about {percent_of(observing, whole)} of the time: the program's calls "
        "are short and frequent.",
        _estimate_note(sites, recording.cost, whole),
        at_least >= _WORTH * whole > 0
        and f"Of calls that take {percent_of(at_least, whole)} the waiting is a lower bound.",
        recording.clock_error_s is not None
        and "Waits for ranks of other nodes are by the clocks of all nodes, which agree to within "
        f"{about_s(recording.clock_error_s)}.",
        begun >= _WORTH_TELLING * whole > 0
        and f"Beginning and ending {api} takes {about_s(begun / len(ranks))} of a rank's time "
        f"({percent_of(begun, whole)}), however long the program runs; it counts as moving data.",
        everything.waiting_s >= _WORTH_TELLING * whole > 0
        and late.known < 0.5
        and f"For whom was waited is known of {percent_of(late.known, 1)} of the waiting.",
    ]
    return [note for note in found if note]
