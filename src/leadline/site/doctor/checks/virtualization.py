"""Containers and virtual machines."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.virtual import container, hypervisor


def check(system: System) -> CheckResult:
    """Tell what stands between ranks and the hardware."""
    machine = hypervisor(system.files)
    box = container(system.files, system.environment)
    layers = [
        text
        for text in (machine and f"virtual machine ({machine})", box and f"container ({box})")
        if text
    ]
    meanings = [
        meaning
        for found, meaning in (
            (
                machine,
                "The hypervisor may move or stop processors, and hide caches and cores: compare "
                "only with runs on the same kind of machine.",
            ),
            (
                box,
                "A container can limit processors, /dev/shm, locked memory and process_vm_readv.",
            ),
        )
        if found
    ]
    return CheckResult(
        name="virtualization",
        status="warn" if machine else "ok",
        observed=" and ".join(layers) or "neither virtual machine nor container",
        meaning=" ".join(meanings) or "Nothing stands between ranks and the hardware.",
        numbers={"virtual_machine": float(bool(machine)), "container": float(bool(box))},
    )
