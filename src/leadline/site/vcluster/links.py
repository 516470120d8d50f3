"""The links of a virtual cluster that is up: another rate or latency, cut and healed."""

from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.site.vcluster import control, namespaces, network
from leadline.site.vcluster.cluster import (
    BACKBONE,
    DELAY,
    INTERFACE,
    SWITCH,
    Cluster,
    parse_latency,
    parse_rate,
)


def link(name: str, change: str, lab: str = "") -> None:
    """Give the link of host `name`, or the `backbone`, a rate or a latency; `cut` or `heal` it.

    A link that is healed is as it was made. Raises `UserError` where there is no such link, or the
    change cannot be read.
    """
    namespaces.require_tools()
    cluster, folder = control.find(lab), paths.lab(lab)
    if name not in cluster.links:
        raise UserError(f"no link {name!r}: there is {', '.join(cluster.links)}")
    if change == "cut":
        namespaces.ip(control.alive(folder, SWITCH), [f"link set {name} down"])
    elif change == "heal":
        namespaces.ip(control.alive(folder, SWITCH), [f"link set {name} up"])
        _shape(cluster, folder, name, cluster.backbone if name == BACKBONE else cluster.link)
        _delay(cluster, folder, name, cluster.latency_ns)
    elif change.lower().endswith("bit"):
        _shape(cluster, folder, name, parse_rate(change))
    elif change.lower().endswith("s"):
        _delay(cluster, folder, name, parse_latency(change))
    else:
        raise UserError(f"{change!r}: write a rate as 100mbit, a latency as 50us, or cut or heal")


def _shape(cluster: Cluster, folder: Path, name: str, rate: int) -> None:
    switch = control.alive(folder, SWITCH)
    if name != BACKBONE:
        host = control.alive(folder, name)
        namespaces.ip(host, [network.packet_line(min(rate, cluster.backbone or rate))])
        namespaces.tc(host, [network.shape_line(INTERFACE, rate)])
    namespaces.tc(switch, [network.shape_line(device, rate) for device in network.ends(name)])


def _delay(before: Cluster, folder: Path, name: str, latency_ns: int) -> None:
    """Let a link take so long one way. What is on its way just then is lost, as on a real one.

    Where all links take time one program forwards for all, else one for this link alone.
    """
    if before.link_latency_ns(name) == latency_ns:
        return
    switch, program = control.alive(folder, SWITCH), network.build_delay()
    late = {**before.late_ns, name: latency_ns}
    if latency_ns == before.latency_ns:
        del late[name]
    after = msgspec.structs.replace(before, late_ns=late)
    if before.latency_ns:
        forwarder, ports = DELAY, tuple(network.delay_ports(after))
    else:
        forwarder, ports = network.delay_of_link(name), network.late_ports(after, name)
        if name not in before.late_ns:
            namespaces.ip(switch, network.late_lines(after, name))
    namespaces.end_holder(folder, forwarder)
    # Written first: if the program does not start, `heal` knows what to undo.
    control.describe(after, folder)
    if forwarder in network.delays(after):
        network.start_delay(folder, switch, program, ports, forwarder)
    else:
        namespaces.ip(switch, network.prompt_lines(after, name))
