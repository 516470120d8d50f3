"""All that `run.json` says of the machine."""

import os
from typing import Any

from leadline.site.hardware import devices, memory, processors, software, virtual
from leadline.site.hardware.files import Files


def facts(files: Files | None = None) -> dict[str, Any]:
    """Return what this machine is, ready for JSON.

    Names carry their units; sizes are in bytes. What the machine does not show is None.
    Processor lists are written as the kernel writes them (`0-3,8`). `cores` counts cores of all
    sockets; `caches_bytes` holds the size of one cache of each kind.
    """
    files = files or Files()
    return {
        **software.describe(files),
        **processors.describe(files),
        **memory.describe(files),
        "hypervisor": virtual.hypervisor(files),
        "container": virtual.container(files, os.environ),
        **devices.describe(files),
    }
