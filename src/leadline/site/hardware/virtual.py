"""What stands between the programs and the hardware: a hypervisor, a container."""

import re
from collections.abc import Mapping

from leadline.site.hardware.files import Files

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
