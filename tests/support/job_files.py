"""Files of jobs as the observer writes them where a site has it in all programs.

The lines are written here by the contract of the files, and not by the reader's own code.
"""

import os
import random
import time
from datetime import UTC, datetime
from pathlib import Path

from recordings import KINDS

ENDED, EXITED, ABORTED, RUNNING, GONE = 2, 3, 4, 1, 5
NAMES = [name for name in KINDS if name]


def text(value):
    """Return a string as a field: what is not printable, blanks and % are percent-encoded."""
    if value == "":
        return "-"
    if value == "-":
        return "%2D"
    return "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x25 else f"%{byte:02X}"
        for byte in os.fsencode(value)
    )


def us(seconds):
    return round(seconds * 1e6)


def row(call, *, place=1, size_class=4, ranks=4, nodes=1, flags=0, calls=100, size=800,
        seconds=1.0, waiting=0.0):  # fmt: skip
    number = NAMES.index(call) + 1
    return (
        f"row {number} {place} {size_class} {ranks} {nodes} {flags} {calls} {size} "
        f"{us(seconds)} {us(waiting)} {us(seconds / max(calls, 1))} 0 0"
    )


def rest(call, *, calls=10, size=80, seconds=0.1, waiting=0.0):
    number = NAMES.index(call) + 1
    return f"rest {number} {calls} {size} {us(seconds)} {us(waiting)} 10 0 0"


def rank(number, *, node=0, state=ENDED, seconds=10.0, mpi=0.0, waiting=0.0, files=0.0, calls=100,
         waited=None, rows=(), inside=None, queued=0.0, before=0.1, after=0.1):  # fmt: skip
    """Return the lines of a rank; `waited` is by rank, `inside` a call and for how long."""
    queue = "-" if queued is None else us(queued)
    lines = [
        f"rank {number} {node} {state} {us(seconds)} {us(mpi)} {us(waiting)} {us(files)} 0 "
        f"{queue} {us(before)} {us(after)} {calls} 0 0 0 0",
        *rows,
        *(f"peer {other} 10 1000 {us(s)} 10" for other, s in (waited or {}).items()),
    ]
    if inside:
        lines.append(f"in {NAMES.index(inside[0]) + 1} 1 {us(inside[1])}")
    return lines


def job_lines(ranks, *, began=None, uid=None, job="4711", step="0", total=None,
              program="/home/anna/solver", script=None, library="MPICH Version: 4.2.3",
              hosts=("n01",), place="solve", file="/home/anna/solver", stuck="",
              slow=()):  # fmt: skip
    began = time.time() - 3600 if began is None else began
    return [
        "leadline-job 1",
        f"began {began:.3f}",
        f"user {os.geteuid() if uid is None else uid}",
        f"job {text(job)} {text(step)}",
        f"program {text(program)}",
        *([f"script {text(script)}"] if script else []),
        f"library {text(library)}",
        "api MPI",
        f"ranks {len(ranks) if total is None else total}",
        *([f"stuck {text(stuck)}"] if stuck else []),
        *(f"slow {each}" for each in slow),
        *(f"host {number} {text(host)}" for number, host in enumerate(hosts)),
        *(line for one in ranks for line in one),
        *(f"function {n} {call} {KINDS[call]}" for n, call in enumerate(NAMES, 1)),
        f"object 1 {text(file)}",
        f"place 1 {text(place)} 1 4660",
        "end",
    ]


def write_job(path, ranks, *, written=None, **fields):
    """Write a job's file, as of the time `written`, and return its path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(job_lines(ranks, **fields)) + "\n")
    if written is not None:
        os.utime(path, (written, written))
    return path


def even(size=4, *, seconds=10.0, mpi=1.0, waiting=0.2, files=0.0, nodes=1, **fields):
    """Return ranks that lose little: each waits a little for the next one."""
    return [
        rank(
            each, node=each * nodes // size, seconds=seconds, mpi=mpi, waiting=waiting, files=files,
            waited={(each + 1) % size: waiting} if size > 1 else None,
            rows=[row("MPI_Allreduce", ranks=size, nodes=nodes, seconds=mpi, waiting=waiting)],
            **fields,
        )
        for each in range(size)
    ]  # fmt: skip


def late(size=4, *, by=4.0, seconds=10.0, late=(3,), nodes=1, calls=100):
    """Return ranks of which some are late, so that all others wait for them."""
    return [
        rank(
            each, node=each * nodes // size, seconds=seconds, calls=calls,
            mpi=0.5 if each in late else by + 0.5, waiting=0.0 if each in late else by,
            waited={} if each in late else {other: by / len(late) for other in late},
            rows=[row("MPI_Allreduce", ranks=size, nodes=nodes,
                      seconds=0.5 if each in late else by + 0.5,
                      waiting=0.0 if each in late else by)],
        )
        for each in range(size)
    ]  # fmt: skip


def put(folder, number, ranks, *, began, **fields):
    """Write a job's file into the folder of its day."""
    when = datetime.fromtimestamp(began, UTC)
    ended = began + max(float(line.split()[4]) / 1e6 for one in ranks for line in one[:1])
    path = folder / f"{when:%Y/%m/%d}" / f"{when:%H%M%S}-{number}-{number}.job"
    fields = {"written": ended, "job": str(number)} | fields
    return write_job(path, ranks, began=began, **fields)


def put_findings(folder):
    """Write jobs of 30 days: `wave` is 1.6 times slower from the 20th on, and node n5 is late."""
    draw = random.Random(2)
    for day in range(30):
        for each, program in enumerate(("wave", "heat", "cg")):
            slow = 1.6 if program == "wave" and day >= 20 else 1.0
            seconds = 100 * slow * draw.lognormvariate(0, 0.05)
            hosts = draw.sample([f"n{number}" for number in range(8)], 2)
            at = hosts.index("n5") if "n5" in hosts and program != "wave" else None
            slow_ranks = () if at is None else tuple(range(4 * at, 4 * at + 4))
            ranks = late(
                8, by=20.0 if slow_ranks else 0.5, seconds=seconds, late=slow_ranks or (0,), nodes=2
            )
            began = time.time() - (40 - day) * 86_400
            put(folder, 100 * day + each, ranks, began=began, program=f"/home/x/{program}",
                hosts=hosts)  # fmt: skip
