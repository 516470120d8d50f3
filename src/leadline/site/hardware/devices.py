"""Network interfaces, InfiniBand devices and accelerators, as /sys shows them."""

from typing import Any

from leadline.site.hardware.files import Files

_DISPLAY_OR_ACCELERATOR = ("0x0300", "0x0302", "0x0380", "0x1200")
_ACCELERATOR_MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}


def describe(files: Files) -> dict[str, Any]:
    """Return the facts about devices for `run.json`."""
    return {
        "network_interfaces": _interfaces(files),
        "infiniband_devices": infiniband(files),
        "accelerators": _accelerators(files),
    }


def infiniband(files: Files) -> list[dict[str, Any]]:
    """Return one entry a port: device, port, state, link_layer and rate as the kernel words it."""
    folder = "/sys/class/infiniband"
    return [
        {
            "device": device,
            "port": port,
            **{
                name: files.text(f"{folder}/{device}/ports/{port}/{name}")
                for name in ("state", "link_layer", "rate")
            },
        }
        for device in files.names(folder)
        for port in files.names(f"{folder}/{device}/ports")
    ]


def _interfaces(files: Files) -> list[dict[str, Any]]:
    folder = "/sys/class/net"
    return [
        {
            "name": name,
            "state": files.text(f"{folder}/{name}/operstate"),
            "mtu_bytes": files.number(f"{folder}/{name}/mtu"),
            "speed_bit_per_s": _speed_bit_per_s(files.number(f"{folder}/{name}/speed")),
        }
        for name in files.names(folder)
        if files.exists(f"{folder}/{name}/operstate")
    ]


def _speed_bit_per_s(megabit_per_s: int | None) -> int | None:
    # Drivers that do not know their speed say -1.
    return megabit_per_s * 10**6 if megabit_per_s is not None and megabit_per_s > 0 else None


def _accelerators(files: Files) -> list[str]:
    folder = "/proc/driver/nvidia/gpus"
    named = [files.table(f"{folder}/{gpu}/information").get("Model") for gpu in files.names(folder)]
    if any(named):
        return [name for name in named if name]
    pci = "/sys/bus/pci/devices"
    makers = (
        files.text(f"{pci}/{device}/vendor")
        for device in files.names(pci)
        if (files.text(f"{pci}/{device}/class") or "").startswith(_DISPLAY_OR_ACCELERATOR)
    )
    return [
        f"{_ACCELERATOR_MAKERS[maker]} device" for maker in makers if maker in _ACCELERATOR_MAKERS
    ]
