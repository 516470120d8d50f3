"""`leadline view map`: the machine drawn, with the jobs on its nodes and the load of its links."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leadline.cli.commands.view import Draw, complain, show, system_option, taken, watch_option
from leadline.cli.options import Shared, declared, html_option, option
from leadline.core.errors import UserError
from leadline.exchange.subject import Subject, part, subject
from leadline.model.jobs import Node
from leadline.model.map import Map
from leadline.model.platform import Platform
from leadline.model.run import Run
from leadline.site.schedulers.job_source import NoAnswer, source

if TYPE_CHECKING:
    from leadline.analysis.network_map.node_owners import NodeOwners
    from leadline.site.schedulers.topology import Interconnect


_QUEUE = "queue"


class _Asked(NamedTuple):
    """What is to be drawn: the machine that is named or simulated, and the runs."""

    platform: Platform | None
    holders: tuple[Run, ...]
    carrier: Subject | None
    queue: bool
    system: str


@declared()
def command(
    platform: str = option("Draw this machine.", "--on PLATFORM", default=""),
    holders: tuple[str, ...] = option(
        "Draw the nodes of a run (may be repeated), or of the jobs that run now  "
        "[default: queue, or the run of --links; none with --on]",
        "--nodes-of RUN|queue",
    ),
    links: str = option(
        "Draw what the links carried in this run, or in its points with these values.",
        "RUN[:NAME=VALUE,...]",
        default="",
    ),
    html: Path | None = html_option("Write a page in which the machine can be turned."),
    system: str = system_option,
    as_json: bool = Shared.json,
    watch: float | None = watch_option,
    runs: Path = Shared.runs,
) -> None:
    """Draw the machine: nodes by job, links by traffic.

    A node is the letter of its job; `.` is free, `x` down, `-` drained, `*` has several jobs.
    """
    if watch is not None and html:
        raise UserError("--html is written once and --watch draws again: leave one of them out")
    asked = _read_options(platform, holders, links, system, watch, runs)
    letters: dict[str, str] = {}
    if html:
        from leadline.output.html.map import write_map

        try:
            drawn = _map(asked, letters)
        except NoAnswer as error:
            complain(error)
            sys.exit(1)
        write_map(html, drawn)
        click.echo(f"map: {html}", err=True)
        if not as_json:
            return

    def look() -> tuple[Any, Draw]:
        from leadline.output.terminal.map import Drawing

        drawn = _map(asked, letters)
        return drawn, lambda lines: Drawing(drawn, lines)

    show(look, watch, as_json)


def _read_options(
    platform: str,
    holders: tuple[str, ...],
    links: str,
    system: str,
    watch: float | None,
    runs: Path,
) -> _Asked:
    from leadline.topology.platforms.catalogue import read_platform

    carrier = part(links, runs)[1] if links else None
    queue = _QUEUE in holders or not (holders or links or platform)
    if queue and len(holders) > 1:
        raise UserError("--nodes-of: the queue or runs, not both: leave one of them out")
    if watch is not None and not queue:
        raise UserError("--watch draws the queue again, and a run stays as it is: leave it out")
    held = [subject(word, runs).run for word in holders if word != _QUEUE]
    if carrier and not holders:
        held = [carrier.run]
    every = [*held, *([carrier.run] if carrier else [])]
    machine = next((run.platform for run in every if run.platform), None)
    if platform:
        machine = read_platform(platform)
    return _Asked(machine, tuple(held), carrier, queue, system)


def _map(asked: _Asked, letters: dict[str, str]) -> Map:
    from leadline.analysis.network_map.compose import composed, flows

    network, owners, source, taken = _queue(asked, letters) if asked.queue else _find_owners(asked)
    carrying = None
    if asked.carrier:
        carrying = asked.carrier.run, flows(asked.carrier.run, asked.carrier.samples)
    return composed(network, owners, source, taken, carrying)


def _queue(asked: _Asked, letters: dict[str, str]) -> tuple[Interconnect, NodeOwners, str, str]:
    """Return the interconnect, the jobs on it now, where they are from, and the moment."""
    from leadline.analysis.network_map.compose import names_of
    from leadline.analysis.network_map.node_owners import by_jobs
    from leadline.site.schedulers.topology import find_interconnect, interconnect_of

    system = source(asked.system)
    nodes, jobs = system.nodes(), system.jobs()
    platform = asked.platform
    network = interconnect_of(platform) if platform else find_interconnect(system.name, nodes)
    return network, by_jobs(names_of(network), jobs, nodes, letters), system.name, taken()


def _find_owners(asked: _Asked) -> tuple[Interconnect, NodeOwners, str, str]:
    from leadline.analysis.network_map.compose import names_of
    from leadline.analysis.network_map.node_owners import by_runs, nobody
    from leadline.site.schedulers.topology import interconnect_of

    network = interconnect_of(asked.platform) if asked.platform else _interconnect_of_runs(asked)
    names, runs = names_of(network), asked.holders
    if not runs:
        return network, nobody(names), "", ""
    words = [f"{run.run}{' (simulated)' if run.platform else ''}" for run in runs]
    source = f"run{'s' * (len(runs) > 1)} {', '.join(words)}"
    return network, by_runs(names, runs), source, runs[0].started


def _interconnect_of_runs(asked: _Asked) -> Interconnect:
    """Return this machine, or the hosts of the runs where they are not nodes of it."""
    from leadline.analysis.network_map.node_owners import hosts_of
    from leadline.site.schedulers.topology import find_interconnect

    system = source(asked.system)
    hosts = hosts_of([*asked.holders, *([asked.carrier.run] if asked.carrier else [])])
    try:
        here = system.nodes()
    except NoAnswer:
        here = ()
    if {node.name for node in here} >= set(hosts):
        return find_interconnect(system.name, here)
    elsewhere = [Node(name=host, phase="idle", state="") for host in hosts]
    return find_interconnect("hosts of the run", elsewhere)
