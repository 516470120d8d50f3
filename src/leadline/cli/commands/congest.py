"""`leadline congest`: traffic that is there to disturb others."""

import sys

import click
import msgspec

from leadline.cli.options import Shared, argument, declared, option, print_json, say
from leadline.core.units import parse_bytes
from leadline.model.interference import Congestion
from leadline.model.placement import parse_placement

_STATUS = {"complete": 0, "interrupted": 0}


@declared()
def command(
    ctx: click.Context,
    kind: str = argument("KIND"),
    place: str = option("NODESxPROCESSES_PER_NODE.", "NxP", default="1x2"),
    mpi: str | None = Shared.mpi,
    hosts: str | None = Shared.hosts,
    remote_shell: str | None = Shared.remote_shell,
    size: str | None = option("Size of the messages, or of the arrays.", "--bytes SIZE"),
    seconds: float = option(
        "Duration; 0: until Ctrl-C.", type=click.FloatRange(0, 1e9), default=0.0
    ),
    bind: bool = Shared.bind,
    oversubscribe: bool = Shared.oversubscribe,
    as_json: bool = option("Print an object when it runs, and one at its end.", "--json"),
) -> None:
    """Load the machine to disturb other programs.

    KIND is alltoall, incast, rma, memory or route, as in `leadline run --background`. The congestor
    runs until Ctrl-C, checks its own data now and then, and says at its end how much it moved.
    """
    from leadline.measure.run.congest import Wanted, congest

    wanted = Wanted(
        kind=kind,
        placement=parse_placement(place),
        mpi=mpi,
        hosts=tuple(hosts.split(",")) if hosts else (),
        remote_shell=remote_shell or "",
        size=parse_bytes(size) if size else 0,
        seconds=seconds,
        bind=bind,
        oversubscribe=oversubscribe,
    )
    done = congest(wanted, say, _Shown(as_json))
    if as_json:
        _print(done)
    else:
        click.echo(_text(done))
    ctx.exit(_STATUS.get(done.state, 1))


class _Shown:
    """Says that the congestor runs, and now and then how it goes."""

    _EVERY_S = 15.0

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._next_s = 0.0

    def __call__(self, now: Congestion) -> None:
        if now.seconds < self._next_s:
            return
        if self._as_json and not self._next_s:
            _print(now)
        say(_text(now))
        self._next_s = now.seconds + self._EVERY_S


def _text(now: Congestion) -> str:
    where = f"{now.kind} on {now.place} with {now.mpi}"
    if now.state not in ("running", *_STATUS):
        return f"{where}: {now.state}: {now.message}"
    if now.state == "running" and not now.rounds:
        return f"{where} runs: Ctrl-C ends it"
    moved = f"{now.moved_bytes / 1e6:.1f} MB in {now.seconds:.1f} s, {now.rate_MBps:.1f} MB/s"
    return f"{where}: {moved}"


def _print(now: Congestion) -> None:
    print_json({**msgspec.to_builtins(now), "rate_MBps": now.rate_MBps})
    sys.stdout.flush()
