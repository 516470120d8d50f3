"""`leadline lab`: a virtual cluster on this machine."""

import os
from typing import Any

import click


@click.group()
def command() -> None:
    """A virtual cluster on this machine: hosts of their own, joined by links of a stated rate.

    Hosts are namespaces, so nothing else on the machine is touched. Once it is up, `--hosts lab`
    measures across its hosts.
    """


@command.command()
@click.option("--nodes", type=int, default=4, show_default=True, help="Hosts: h0, h1 and so on.")
@click.option("--cores", metavar="N,...", help="Cores of each host  [default: the machine's]")
@click.option("--link", default="1gbit", show_default=True, metavar="RATE", help="Of each host.")
@click.option("--switches", type=int, default=1, show_default=True, help="One, or two with a link.")
@click.option("--backbone", metavar="RATE", help="Between two switches  [default: as --link]")
def up(nodes: int, cores: str | None, link: str, switches: int, backbone: str | None) -> None:
    """Make the cluster. A RATE is such as 100mbit or 2.5gbit."""
    from leadline.core.cores import own_cores
    from leadline.site.vcluster import control
    from leadline.site.vcluster.cluster import cluster, rate_text

    asked = cluster(nodes, cores or str(len(own_cores())), link, switches, backbone)
    control.up(asked)
    first, last = asked.hosts[0].name, asked.hosts[-1].name
    joined = f", backbone {rate_text(asked.backbone)}" if asked.backbone else ""
    click.echo(
        f"{nodes} hosts are up, {first} to {last}, links {rate_text(asked.link)}{joined}: "
        "leadline run mpi/pingpong --place 2x1 --hosts lab"
    )


@command.command()
def down() -> None:
    """Remove the cluster with all that runs in it, whatever state it is in."""
    from leadline.site.vcluster import control

    click.echo("the virtual cluster is gone" if control.down() else "no virtual cluster was up")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def status(as_json: bool) -> None:
    """Say which hosts are up, and how their links are."""
    from leadline.site.vcluster import control

    now = control.status()
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(now))
        return
    _print(now)


@command.command()
@click.argument("host")
@click.argument("change", metavar="RATE|cut|heal")
def link(host: str, change: str) -> None:
    """Give the link of HOST (or the `backbone`) another RATE, cut it, or heal it."""
    from leadline.site.vcluster import control

    control.link(host, change)


@command.command()
@click.argument("host")
def kill(host: str) -> None:
    """End HOST at once with all that runs on it, as a node that fails."""
    from leadline.site.vcluster import control

    control.kill(host)


_ANYTHING = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@command.command(context_settings=_ANYTHING)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
def run(words: tuple[str, ...]) -> None:
    """Execute COMMAND on the head node, from which launchers can start ranks on every host."""
    from leadline.site.vcluster.cluster import HEAD

    _become(HEAD, words)


@command.command("exec", context_settings=_ANYTHING)
@click.argument("host")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
def execute(host: str, words: tuple[str, ...]) -> None:
    """Execute COMMAND on HOST."""
    _become(host, words)


def _become(host: str, words: tuple[str, ...]) -> None:
    from leadline.site.vcluster import control

    argv = control.command_on(host, words)
    os.execv(argv[0], argv)


def _print(now: Any) -> None:
    from leadline.output.table import table_of
    from leadline.output.terminal.table import print_table
    from leadline.site.vcluster.cluster import rate_text

    rows = (
        (
            host.name,
            host.state,
            host.cores,
            host.address,
            host.switch,
            "cut" if host.cut else "-" if host.link_bps is None else rate_text(host.link_bps),
        )
        for host in now.hosts
    )
    print_table(table_of(("host", "state", "cores", "address", "switch", "link"), rows))
    if now.backbone_bps is not None:
        click.echo(f"backbone: {'cut' if now.backbone_cut else rate_text(now.backbone_bps)}")
    click.echo(f"remote shell: {now.remote_shell}")
