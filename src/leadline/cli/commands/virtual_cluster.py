"""`leadline virtual-cluster`: a virtual cluster on this machine."""

import os
import sys
import time
from typing import Any

import click
import msgspec

from leadline.cli.group import CommandGroup
from leadline.core.errors import UserError
from leadline.core.processes import own_cores
from leadline.core.units import format_seconds
from leadline.output.table import table_of
from leadline.output.terminal.table import print_table
from leadline.site.vcluster import control, links
from leadline.site.vcluster.cluster import HEAD, cluster, rate_text

_named = click.option(
    "--name", default="", metavar="NAME", help="Which cluster, if several are up."
)


@click.group(cls=CommandGroup)
def command() -> None:
    """Make a cluster of virtual hosts on this machine.

    Hosts are namespaces, so nothing else on the machine is touched. Once it is up, `--hosts lab`
    measures across its hosts. Several may be up at the same time: `--hosts lab/NAME` takes the one
    of that name.
    """


@command.command()
@click.option("--nodes", type=int, default=4, show_default=True, help="Hosts: h0, h1 and so on.")
@click.option("--cores", metavar="N,...", help="Cores of each host  [default: the machine's]")
@click.option("--link", default="1gbit", show_default=True, metavar="RATE", help="Of each host.")
@click.option("--switches", type=int, default=1, show_default=True, help="One, or two with a link.")
@click.option("--backbone", metavar="RATE", help="Between two switches  [default: as --link]")
@click.option(
    "--latency", default="0us", metavar="TIME", help="Of each link, one way, such as 50us."
)
@click.option(
    "--name", default="", metavar="NAME", help="Name of the cluster, where there are several."
)
def up(
    nodes: int,
    cores: str | None,
    link: str,
    switches: int,
    backbone: str | None,
    latency: str,
    name: str,
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


@command.command()
@click.argument("name", default="")
@click.option("--yes", is_flag=True, help="Do not ask.")
def down(name: str, yes: bool) -> None:
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


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def enumerate_clusters(as_json: bool) -> None:
    """List the clusters that are up, their users and runs."""
    found = control.summaries()
    if as_json:
        click.echo(msgspec.json.encode({"clusters": found}))
    elif found:
        _print_summaries(found)
    else:
        click.echo("no virtual cluster is up: `leadline virtual-cluster up` makes one")


@command.command()
@_named
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def status(name: str, as_json: bool) -> None:
    """Show which hosts are up, and their links."""
    now = control.status(name)
    if as_json:
        click.echo(msgspec.json.encode(now))
        return
    _print(now)


@command.command()
@click.argument("host")
@click.argument("change", metavar="RATE|LATENCY|cut|heal")
@_named
def link(host: str, change: str, name: str) -> None:
    """Change, cut or heal the link of a host.

    HOST may be `backbone`, the link between two switches. A RATE is such as 100mbit, a LATENCY,
    one way, such as 50us. `heal` gives the link its first rate and latency, too.
    """
    links.link(host, change, name)


@command.command()
@click.argument("host")
@_named
def kill(host: str, name: str) -> None:
    """End a host at once, as a node that fails."""
    control.kill(host, name)


_ANYTHING = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@command.command(context_settings=_ANYTHING)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@_named
def run(words: tuple[str, ...], name: str) -> None:
    """Run a command on the head node.

    From there launchers can start ranks on every host.
    """
    _become(HEAD, words, name)


@command.command("exec", context_settings=_ANYTHING)
@click.argument("host")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@_named
def execute(host: str, words: tuple[str, ...], name: str) -> None:
    """Run a command on a host."""
    _become(host, words, name)


def _become(host: str, words: tuple[str, ...], name: str) -> None:
    argv = control.command_on(host, words, name)
    os.execv(argv[0], argv)


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
