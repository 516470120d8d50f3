"""All that `run.json` says of the machine."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from leadline.site.hardware import processors, software
from leadline.site.hardware.files import Files

_DISPLAY_OR_ACCELERATOR = ("0x0300", "0x0302", "0x0380", "0x1200")
_ACCELERATOR_MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}


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


def meminfo_bytes(files: Files) -> dict[str, int]:
    """Return the sizes of /proc/meminfo in bytes, such as `MemTotal` and `SwapFree`."""
    rows = ((name, value.split()) for name, value in files.table("/proc/meminfo").items())
    return {name: int(row[0]) * 1024 for name, row in rows if row[1:] == ["kB"]}


class SharedMemory(NamedTuple):
    """The sizes of /dev/shm in bytes, and whether it is mounted for reading only."""

    size_bytes: int
    free_bytes: int
    read_only: bool = False


def shared_memory(root: Path = Path("/")) -> SharedMemory | None:
    """Return the sizes of the /dev/shm below a root, or None where there is none."""
    try:
        sizes = os.statvfs(root / "dev/shm")
    except OSError:
        return None
    return SharedMemory(
        sizes.f_blocks * sizes.f_frsize,
        sizes.f_bavail * sizes.f_frsize,
        bool(sizes.f_flag & os.ST_RDONLY),
    )


_CONTAINER_VARIABLES = {
    "APPTAINER_NAME": "apptainer",
    "SINGULARITY_NAME": "singularity",
    "CHARLIECLOUD_MODE": "charliecloud",
}


def hypervisor(files: Files) -> str | None:
    """Return the hypervisor's name, or None on hardware."""
    if kind := files.text("/sys/hypervisor/type"):
        return kind
    names = (files.text(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))
    product = " ".join(filter(None, names))
    if "hypervisor" in files.table("/proc/cpuinfo").get("flags", "").split():
        clocks = files.text("/sys/devices/system/clocksource/clocksource0/available_clocksource")
        return product or ("KVM" if "kvm-clock" in (clocks or "") else "unnamed hypervisor")
    # Only x86 has that flag: elsewhere the firmware's product name is all there is.
    return product if re.search("QEMU|KVM|VMware|VirtualBox|Virtual Machine", product) else None


def container(files: Files, environment: Mapping[str, str]) -> str | None:
    """Return the container's kind, or None where there is none.

    A machine that was made from a container's image keeps the image's marker files, so they
    count only where the kernel's own threads are out of sight.
    """
    for variable, name in _CONTAINER_VARIABLES.items():
        if environment.get(variable):
            return name
    if files.text("/proc/2/comm") == "kthreadd":
        return None
    if files.exists("/run/.containerenv"):
        return "podman"
    if files.exists("/.dockerenv"):
        return "docker"
    if kind := environment.get("container") or files.text("/run/systemd/container"):
        return kind
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    marks = re.search(r"docker|kubepods|lxc|containerd|libpod", files.text("/proc/1/cgroup") or "")
    return marks[0] if marks else None


def facts(files: Files | None = None) -> dict[str, Any]:
    """Return what this machine is, ready for JSON.

    Names carry their units; sizes are in bytes. What the machine does not show is None.
    Processor lists are written as the kernel writes them (`0-3,8`). `cores` counts cores of all
    sockets; `caches_bytes` holds the size of one cache of each kind.
    """
    files = files or Files()
    sizes, shared = meminfo_bytes(files), shared_memory(files.root)
    return {
        **software.describe(files),
        **processors.describe(files),
        "memory_bytes": sizes.get("MemTotal"),
        "swap_bytes": sizes.get("SwapTotal"),
        "page_size_bytes": os.sysconf("SC_PAGE_SIZE"),
        "huge_page_size_bytes": sizes.get("Hugepagesize"),
        "huge_pages_reserved": files.number("/proc/sys/vm/nr_hugepages"),
        "transparent_huge_pages": files.choice("/sys/kernel/mm/transparent_hugepage/enabled"),
        "dev_shm_bytes": shared.size_bytes if shared else None,
        "hypervisor": hypervisor(files),
        "container": container(files, os.environ),
        "network_interfaces": _interfaces(files),
        "infiniband_devices": infiniband(files),
        "accelerators": _accelerators(files),
    }
