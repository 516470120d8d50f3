"""The counters of network interfaces and InfiniBand ports."""

from typing import NamedTuple

from leadline.site.hardware.files import Files

# InfiniBand counts data in words of four bytes (its Architecture Specification, PortCounters).
_WORD_BYTES = 4
_PORT_ERRORS = (
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
)


class Counted(NamedTuple):
    """What a link has counted since it came up, or in a while: bytes and packets."""

    received_bytes: int
    sent_bytes: int
    errors: int
    dropped: int

    def since(self, before: "Counted") -> "Counted | None":
        """Return what was counted since `before`; None where the counters began again."""
        found = Counted(*(now - then for now, then in zip(self, before, strict=True)))
        return found if min(found) >= 0 else None


def link_counters(files: Files) -> dict[str, Counted]:
    """Return the counters of every link that shows them, by name: `eth0`, `mlx5_0/1`."""
    return {**_interfaces(files), **_ports(files)}


def _interfaces(files: Files) -> dict[str, Counted]:
    folder = "/sys/class/net"
    found = {}
    for name in files.names(folder):
        at = f"{folder}/{name}/statistics"
        received, sent = (files.number(f"{at}/{way}_bytes") for way in ("rx", "tx"))
        if received is not None and sent is not None:
            errors, dropped = (
                sum(files.number(f"{at}/{way}_{what}") or 0 for way in ("rx", "tx"))
                for what in ("errors", "dropped")
            )
            found[name] = Counted(received, sent, errors, dropped)
    return found


def _ports(files: Files) -> dict[str, Counted]:
    folder = "/sys/class/infiniband"
    found = {}
    for device in files.names(folder):
        for port in files.names(f"{folder}/{device}/ports"):
            at = f"{folder}/{device}/ports/{port}/counters"
            received, sent = (files.number(f"{at}/port_{way}_data") for way in ("rcv", "xmit"))
            if received is not None and sent is not None:
                found[f"{device}/{port}"] = Counted(
                    _WORD_BYTES * received,
                    _WORD_BYTES * sent,
                    sum(files.number(f"{at}/{name}") or 0 for name in _PORT_ERRORS),
                    files.number(f"{at}/port_xmit_discards") or 0,
                )
    return found
