"""A program's time as another profiler printed it, in the shape of a recording's.

A profiler sees how long a rank is in a call, not when the other ranks came: all time in MPI is
transfer here, and `waiting_known` is false. Nothing is measured against it, since a bound is that
of a call in which nobody waits.
"""

from __future__ import annotations

import shlex

from leadline.explain.case import WORTH, Advice, percent_of
from leadline.explain.lateness import Lateness
from leadline.explain.owners import RankTime, efficiency_of, total
from leadline.explain.report import Explained, SiteTime
from leadline.model.recorded import ProfiledCalls, ProgramProfile


def explain_profile(
    profile: ProgramProfile, program: str, run: str = "", mpi: str = ""
) -> Explained:
    """Return where the time of a program went that `program`, such as `mpiP 3.5.0`, profiled."""
    ranks = tuple(
        RankTime(rank=each.rank, computing_s=each.seconds - each.mpi_s, transfer_s=each.mpi_s)
        for each in profile.ranks
    )
    return Explained(
        run=run,
        seconds=max(each.seconds for each in ranks),
        ranks=ranks,
        sites=tuple(map(_site, profile.calls)),
        late=Lateness(verdict="none"),
        advice=_advice(profile, program, ranks),
        efficiency=efficiency_of(ranks, waiting_known=False),
        command=profile.command,
        mpi=mpi,
        hosts=tuple(sorted(profile.hosts)),
        ranks_total=profile.ranks_total,
        notes=tuple(_notes(profile, program)),
        waiting_known=False,
    )


def _site(calls: ProfiledCalls) -> SiteTime:
    return SiteTime(
        call=calls.call,
        where=calls.where,
        bytes=None if calls.bytes is None else round(calls.bytes / calls.calls),
        calls=calls.calls,
        transfer_s=calls.seconds,
        slowest_s=calls.slowest_s,
        fastest_s=calls.fastest_s,
    )


def _advice(
    profile: ProgramProfile, program: str, ranks: tuple[RankTime, ...]
) -> tuple[Advice, ...]:
    everything = total(ranks)
    if everything.mpi_s < WORTH * everything.seconds:
        return ()
    started = ("mpirun", "-n", str(profile.ranks_total), *(profile.command or ("./app",)))
    command = ("leadline", "explain", "--", *started)
    return (
        Advice(
            kind="record",
            text=f"{percent_of(everything.mpi_s, everything.seconds)} of the time is in MPI: "
            f"leadline records how much of it is waiting, which {program} does not tell.",
            command=shlex.join(command),
            stake_s=everything.mpi_s / len(ranks),
        ),
    )


def _notes(profile: ProgramProfile, program: str) -> list[str]:
    """Return what is not known, a sentence each."""
    found = [
        f"{program} does not tell waiting from moving data, nor who sends to whom: time in MPI is "
        "both. Its wall time is that between MPI_Init and MPI_Finalize."
    ]
    if gone := profile.ranks_total - len(profile.ranks):
        found.append(f"The time of {gone} of {profile.ranks_total} ranks could not be read.")
    return [*found, *profile.notes]
