"""Whether this machine allows virtual clusters, found out without leadline's own code."""

import os
import shutil
import subprocess

PROGRAMS = ("ip", "tc", "nsenter", "unshare", "mount")
NAMESPACES = ("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--")
TRIALS = (
    ("mount", "-t", "tmpfs", "tmpfs", "/mnt"),
    (
        "tc",
        *[
            "qdisc",
            "add",
            "dev",
            "lo",
            "root",
            "tbf",
            "rate",
            "1mbit",
            "burst",
            "16k",
            "latency",
            "20ms",
        ],
    ),
)


def why_not():
    """Return why there can be no cluster here, or an empty text: then one that fails is a fault."""
    if os.geteuid() != 0:
        return "virtual clusters need root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"virtual clusters need {', '.join(missing)} (Debian: iproute2, util-linux)"
    for trial in TRIALS:
        done = subprocess.run([*NAMESPACES, *trial], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"this kernel or container allows no virtual cluster: {done.stderr.strip()}"
    return ""
