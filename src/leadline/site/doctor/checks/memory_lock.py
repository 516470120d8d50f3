"""How much memory a network card may be given to write to."""

import re

from leadline.core.units import format_bytes
from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.devices import infiniband

FILES = ("/proc/self/limits", "/sys/class/infiniband/*/ports/1/state")


def check(system: System) -> CheckResult:
    """Compare the lock limit with what RDMA devices need."""
    limits = system.files.text("/proc/self/limits") or ""
    match = re.search(r"^Max locked memory\s+(\w+)", limits, re.MULTILINE)
    if not match:
        return CheckResult(
            name="memory-lock",
            status="unknown",
            observed="/proc/self/limits does not tell",
            meaning="RDMA needs locked memory; with a small limit libraries fall back to TCP.",
        )
    devices = {port["device"] for port in infiniband(system.files)}
    limited = match[1] != "unlimited"
    return CheckResult(
        name="memory-lock",
        status="bad" if limited and devices else "ok",
        observed=f"limit {format_bytes(int(match[1])) if limited else 'none'}, "
        + (f"RDMA devices {', '.join(sorted(devices))}" if devices else "no RDMA device"),
        meaning=(
            "RDMA needs locked memory; with this limit libraries fail or fall back to TCP."
            if limited and devices
            else "The limit does not matter without an RDMA device."
            if not devices
            else "RDMA may lock all the memory that it needs."
        ),
        advice=(
            "Set memlock to unlimited in /etc/security/limits.conf (and LimitMEMLOCK of the "
            "batch system's daemon), then log in again."
            if limited and devices
            else None
        ),
        numbers={"limit_bytes": float(match[1])} if limited else {},
    )
