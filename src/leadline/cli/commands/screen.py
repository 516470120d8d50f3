"""`leadline screen`: which node, link or uplink of a cluster is slow."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from leadline.cli.options import (
    Shared,
    check_writable,
    declared,
    html_option,
    option,
    print_json,
    write,
)
from leadline.core.errors import UserError
from leadline.core.units import parse_bytes, parse_percent
from leadline.site.schedulers.allocation import around_here
from leadline.store.folder import RunFolder

_INTERRUPTED, _INCOMPLETE = 130, 2
_WIDTH = 80


@declared()
def command(
    ctx: click.Context,
    hosts: str | None = option(
        "Nodes to screen, or slurm, pbs, lab  [default: those of the job around it]", "HOST,..."
    ),
    mpi: str | None = Shared.mpi,
    batch: str | None = option("Submit it as one job, as to slurm.", "SYSTEM"),
    batch_option: tuple[str, ...] = option("Option for the job; may be repeated.", "OPTION"),
    nodes: int | None = option("With --batch: how many nodes.", "N", type=click.IntRange(4)),
    node_only: bool = option("Measure no pairs: each node by itself, 20 s."),
    all_pairs: bool = option("Measure every pair: N-1 rounds for N nodes."),
    size: str = option("Large messages.", "--bytes SIZE", default="256K"),
    tolerance: str = option("Suspect nothing that is slower by less.", "PERCENT", default="5%"),
    seconds: float | None = option(
        "Longest time for one figure  [default: 0.4, with --node-only 1, of one node 0.5]",
        "SECONDS",
        type=click.FloatRange(0.01, 600.0),
    ),
    time_limit: float | None = option("Longest time for all measurements.", "SECONDS"),
    remote_shell: str | None = option("What starts a command on a host.", "COMMAND"),
    launcher: str | None = option("Launcher instead of the MPI's mpiexec.", "NAME"),
    seed: int | None = option("Number that fixes who is paired with whom."),
    as_json: bool = Shared.json,
    prometheus: Path | None = Shared.prometheus,
    html: Path | None = html_option(
        "Write a page with the map: nodes, suspects, and what pairs reached."
    ),
    runs: Path = Shared.runs,
) -> None:
    """Find slow nodes, links and uplinks.

    All nodes are measured at once, one rank each: memory, copies, arithmetic and noise by
    themselves, then latency, bandwidth and message rate in rounds of pairs. Suspects are measured
    again with good partners, all in one MPI job. Each is compared with the other nodes. In healthy
    clusters anything at all is suspected in at most 5 of 100 screenings. Outside of a job,
    --node-only screens this node alone, against its earlier screenings or those of its kind. Exit
    status: 0 without suspects, 1 with, 2 where it could not be measured.
    """
    from leadline.analysis.screen.figures import NODE_FIGURES
    from leadline.exchange.exports.prometheus import screen_text
    from leadline.library.node_screening import screen_node
    from leadline.library.screening import screen
    from leadline.library.screening_map import screen_map
    from leadline.library.screening_plan import Screening, default_plan
    from leadline.output.terminal.map import drawn_in
    from leadline.output.terminal.progress import progress_for
    from leadline.output.terminal.screen import lines
    from leadline.store.samples import StoredSamples

    if node_only and all_pairs:
        raise UserError("--node-only measures no pairs and --all-pairs all: give one of the two")
    if bool(batch) != bool(nodes):
        raise UserError("--batch and --nodes go together: write --batch slurm --nodes 32")
    if html and node_only:
        raise UserError("--html draws what pairs reached: leave out --node-only")
    check_writable(prometheus)
    check_writable(html)
    words = hosts.split(",") if hosts else [] if batch else _around(or_this_node=node_only)
    usual_s = 0.4 if not node_only else 1.0 if words or batch else 0.5
    plan = msgspec.structs.replace(
        default_plan(words, nodes or 0, seconds or usual_s),
        mpi=(mpi,) if mpi else (),
        batch=batch or "",
        batch_options=batch_option,
        time_limit_s=time_limit,
        remote_shell=remote_shell or "",
        launcher=launcher or "",
        seed=seed,
    )
    wanted = Screening(
        plan=plan,
        size=str(parse_bytes(size)),
        tolerance=parse_percent(tolerance),
        is_node_only=node_only,
        has_all_pairs=all_pairs,
    )
    screened = screen if words or batch else screen_node
    found, run = screened(wanted, runs, progress_for(sys.stderr))
    pairs = None
    is_drawn = found.suspects and found.measured and not (node_only or as_json)
    if html or is_drawn:
        pairs = screen_map(found, run, StoredSamples(RunFolder(runs / run.run)))
    if prometheus:
        text = screen_text(found).encode()
        write(str(prometheus), lambda stream: stream.write(text))
    if html and pairs:
        from leadline.output.html.map import write_map

        write_map(html, pairs)
        click.echo(f"map: {html}", err=True)
    if as_json:
        print_json(found)
    else:
        own = [figure.name for figure in NODE_FIGURES]
        drains = "slurm" in (plan.batch, *plan.hosts)
        for line in lines(found, own, wanted.tolerance, drains=drains, all_pairs=all_pairs):
            click.echo(line)
        if pairs and is_drawn:
            # Who is suspected where, without what the links carried.
            click.echo()
            for drawn in drawn_in(msgspec.structs.replace(pairs, traffic=None), _WIDTH):
                click.echo(drawn.plain.rstrip())
    if run.outcome.state == "interrupted":
        ctx.exit(_INTERRUPTED)
    if not found.measured:
        ctx.exit(_INCOMPLETE)
    ctx.exit(1 if found.suspects else 0 if found.is_complete else _INCOMPLETE)


def _around(*, or_this_node: bool) -> list[str]:
    """Return the job around leadline as `--hosts` names it, nothing for this node alone.

    Raises `UserError` where there is no job and this node is not enough.
    """
    try:
        return [around_here()]
    except UserError:
        if or_this_node:
            return []
        raise
