"""Who made a virtual cluster, and what uses it now."""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from leadline.site.hardware.files import Files
from leadline.site.processes import ProcessStat, processes, ticks_per_second, user_name
from leadline.site.vcluster import namespaces

OWNER = "owner.json"
USES = "use-*.json"
_LOGIN = Path("/proc/self/sessionid")
_NO_LOGIN = str(2**32 - 1)
_MOST_NAMED = 3


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who made a cluster: the `session` of its login or terminal, and when (seconds since 1970)."""

    session: str
    user: str
    since: float


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """A run that uses a cluster; `start` tells its process from later ones of that number."""

    run: str
    pid: int
    start: int
    since: float


def write_owner(folder: Path) -> None:
    """Say in the cluster's folder that this session made it."""
    owner = Owner(
        session=_session(_table()),
        user=os.environ.get("SUDO_USER") or user_name(os.getuid()),
        since=time.time(),
    )
    (folder / OWNER).write_bytes(msgspec.json.encode(owner))


def read_owner(folder: Path) -> Owner | None:
    """Return who made the cluster; None where it does not say."""
    try:
        return msgspec.json.decode((folder / OWNER).read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return None


@contextlib.contextmanager
def used(folder: Path, run: str) -> Iterator[None]:
    """Say in the cluster's folder that a run uses it, as long as that is so."""
    pid = os.getpid()
    use = Use(run=run, pid=pid, start=_table()[pid].start, since=time.time())
    file = folder / USES.replace("*", str(pid))
    with contextlib.suppress(OSError):
        file.write_bytes(msgspec.json.encode(use))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def uses(folder: Path) -> tuple[Use, ...]:
    """Return the runs that use the cluster now."""
    table, found = _table(), []
    for file in sorted(folder.glob(USES)):
        with contextlib.suppress(OSError, msgspec.DecodeError):
            use = msgspec.json.decode(file.read_bytes(), type=Use)
            if use.pid in table and table[use.pid].start == use.start:
                found.append(use)
    return tuple(found)


def reasons_to_ask(folder: Path) -> tuple[str, ...]:
    """Return why somebody may still want the cluster, in words; none where nobody does."""
    table, found = _table(), []
    owner = read_owner(folder)
    if owner and owner.session != _session(table):
        found.append(f"{owner.user} made it in another session at {_clock(owner.since)}")
    runs = uses(folder)
    found += [f"run {use.run} uses it (pid {use.pid}, since {_clock(use.since)})" for use in runs]
    if not runs:
        guests = [table[pid] for pid in sorted(namespaces.guests(folder)) if pid in table]
        found += [
            f"{each.command} runs in it (pid {each.pid}, since {_clock(_began(each))})"
            for each in guests[:_MOST_NAMED]
        ]
        if len(guests) > _MOST_NAMED:
            found.append(f"{len(guests) - _MOST_NAMED} more processes run in it")
    return tuple(found)


def _table() -> Mapping[int, ProcessStat]:
    return {each.pid: each for each in processes(Files()) if not each.ended}


def _session(table: Mapping[int, ProcessStat]) -> str:
    """Return what all commands of one login share, or of one terminal where logins have no number.

    sudo gives each command a session of its own, so that its caller's counts.
    """
    with contextlib.suppress(OSError):
        if (login := _LOGIN.read_text().strip()) not in ("", _NO_LOGIN):
            return f"login {login}"
    here = table[os.getpid()]
    while (parent := table.get(here.parent)) and parent.command == "sudo":
        here = table.get(parent.parent, parent)
    leader = table.get(here.session)
    return f"session {here.session} {leader.start if leader else 0}"


def _began(process: ProcessStat) -> float:
    up_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.time() - up_s + process.start / ticks_per_second()


def _clock(moment: float) -> str:
    return time.strftime(
        "%H:%M:%S" if time.time() - moment < 86400 else "%Y-%m-%d %H:%M", time.localtime(moment)
    )
