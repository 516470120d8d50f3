"""`leadline virtual-cluster`: a virtual cluster on this machine."""

import os
import sys
import time
from typing import Any

import click

from leadline.cli.group import CommandGroup, Row
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.core.processes import become, own_cores
from leadline.core.units import format_seconds
from leadline.output.table import table_of
from leadline.output.terminal.table import print_table
from leadline.site.vcluster import control, links
from leadline.site.vcluster.cluster import HEAD, cluster, rate_text

_named = option("Which cluster, if several are up.", "NAME", default="")
ROWS = (
    Row("up", "Make the cluster", "virtual_cluster:up"),
    Row("down", "Remove a cluster with all that runs in it", "virtual_cluster:down"),
    Row(
        "list",
        "List the clusters that are up, their users and runs",
        "virtual_cluster:enumerate_clusters",
    ),
    Row("status", "Show which hosts are up, and their links", "virtual_cluster:status"),
    Row("link", "Change, cut or heal the link of a host", "virtual_cluster:link"),
    Row("kill", "End a host at once, as a node that fails", "virtual_cluster:kill"),
    Row("run", "Run a command on the head node", "virtual_cluster:run"),
    Row("exec", "Run a command on a host", "virtual_cluster:execute"),
)


@declared(cls=CommandGroup, rows=ROWS)
def command() -> None:
    """Make a cluster of virtual hosts on this machine.

    Hosts are namespaces, so nothing else on the machine is touched. Once it is up, `--hosts lab`
    measures across its hosts. Several may be up at the same time: `--hosts lab/NAME` takes the one
    of that name.
    """


@declared()
def up(
    nodes: int = option("Hosts: h0, h1 and so on.", default=4),
    cores: str | None = option("Cores of each host  [default: the machine's]", "N,..."),
    link: str = option("Of each host.", "RATE", default="1gbit"),
    switches: int = option("One, or two with a link.", default=1),
    backbone: str | None = option("Between two switches  [default: as --link]", "RATE"),
    latency: str = option("Of each link, one way, such as 50us.", "TIME", default="0us"),
    name: str = option("Name of the cluster, where there are several.", "NAME", default=""),
) -> None:
    """Make the cluster.

    A RATE is such as 100mbit or 2.5gbit. A message takes the latency of each link on its way, two
    between hosts on one switch.
    """
    asked = cluster(nodes, cores or str(len(own_cores())), link, switches, backbone, latency)
    control.up(asked, name)
    first, last = asked.hosts[0].name, asked.hosts[-1].name
    joined = f", backbone {rate_text(asked.backbone)}" if asked.backbone else ""
    late = f" and {format_seconds(asked.latency_ns / 1e9)}" if asked.latency_ns else ""
    click.echo(
        f"{nodes} hosts are up, {first} to {last}, links {rate_text(asked.link)}{late}{joined}: "
        f"leadline run mpi/pingpong --place 2x1 --hosts lab{f'/{name}' if name else ''}"
    )


@declared()
def down(name: str = argument(default=""), yes: bool = option("Do not ask.")) -> None:
    """Remove a cluster with all that runs in it.

    NAME is one of several clusters. Asks first if another session made it, or a run or another
    program uses it.
    """
    reasons = () if yes else control.reasons_to_ask(name)
    if reasons:
        why = "; ".join(reasons)
        if not sys.stdin.isatty():
            raise UserError(
                f"{why}: `leadline virtual-cluster down{f' {name}' * bool(name)} --yes` removes it"
            )
        click.echo(why)
        if not click.confirm("Remove the virtual cluster?"):
            raise UserError("nothing is removed")
    click.echo("the virtual cluster is gone" if control.down(name) else "no virtual cluster was up")


@declared("list")
def enumerate_clusters(as_json: bool = Shared.json) -> None:
    """List the clusters that are up, their users and runs."""
    found = control.summaries()
    if as_json:
        print_json({"clusters": found})
    elif found:
        _print_summaries(found)
    else:
        click.echo("no virtual cluster is up: `leadline virtual-cluster up` makes one")


@declared()
def status(name: str = _named, as_json: bool = Shared.json) -> None:
    """Show which hosts are up, and their links."""
    now = control.status(name)
    if as_json:
        print_json(now)
        return
    _print(now)


@declared()
def link(
    host: str = argument(), change: str = argument("RATE|LATENCY|cut|heal"), name: str = _named
) -> None:
    """Change, cut or heal the link of a host.

    HOST may be `backbone`, the link between two switches. A RATE is such as 100mbit, a LATENCY,
    one way, such as 50us. `heal` gives the link its first rate and latency, too.
    """
    links.link(host, change, name)


@declared()
def kill(host: str = argument(), name: str = _named) -> None:
    """End a host at once, as a node that fails."""
    control.kill(host, name)


_ANYTHING = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@declared(context_settings=_ANYTHING)
def run(
    words: tuple[str, ...] = argument("COMMAND...", required=True, type=click.UNPROCESSED),
    name: str = _named,
) -> None:
    """Run a command on the head node.

    From there launchers can start ranks on every host.
    """
    _become(HEAD, words, name)


@declared("exec", context_settings=_ANYTHING)
def execute(
    host: str = argument(),
    words: tuple[str, ...] = argument("COMMAND...", required=True, type=click.UNPROCESSED),
    name: str = _named,
) -> None:
    """Run a command on a host."""
    _become(host, words, name)


def _become(host: str, words: tuple[str, ...], name: str) -> None:
    argv = control.command_on(host, words, name)
    become(argv[0], argv, os.environ)


def _print(now: Any) -> None:
    def latency(host: Any) -> str:
        return format_seconds(host.link_latency_s) if host.link_latency_s else "-"

    late = any(host.link_latency_s for host in now.hosts)
    rows = (
        (
            host.name,
            host.state,
            host.cores,
            host.address,
            host.switch,
            "cut" if host.cut else "-" if host.link_bps is None else rate_text(host.link_bps),
            *([latency(host)] if late else []),
        )
        for host in now.hosts
    )
    heads = ("host", "state", "cores", "address", "switch", "link", *(["latency"] if late else []))
    print_table(table_of(heads, rows))
    if now.backbone_bps is not None:
        click.echo(f"backbone: {'cut' if now.backbone_cut else rate_text(now.backbone_bps)}")
    click.echo(f"remote shell: {now.remote_shell}")


def _print_summaries(found: Any) -> None:
    rows = (
        (
            each.name or "-",
            f"{each.hosts_up} of {each.hosts}" if each.since else "left half made",
            each.network or "-",
            each.user or "-",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(each.since)) if each.since else "-",
            ", ".join(each.runs) or "-",
        )
        for each in found
    )
    print_table(table_of(("name", "hosts up", "network", "made by", "since", "used by"), rows))
