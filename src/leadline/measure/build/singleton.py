"""How a probe is asked about itself: without a launcher, unless it is a simulated one."""

from pathlib import Path

from leadline.model.installation import Installation

_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full"><host id="alone" speed="1Gf"/></zone>
</platform>
"""


def singleton_command(installation: Installation, path: Path, *words: str) -> list[str]:
    """Return the command by which the probe at `path` answers `words`.

    A simulated probe gets a machine of one host, which is written beside it.
    """
    if not installation.simulates:
        return [str(path), *words]
    platform, hosts = path.with_name("alone.xml"), path.with_name("alone.txt")
    platform.write_text(_PLATFORM)
    hosts.write_text("alone\n")
    return [
        *(str(installation.mpiexec), "-np", "1", "--log=root.thres:critical"),
        *("-platform", str(platform), "-hostfile", str(hosts), str(path), *words),
    ]
