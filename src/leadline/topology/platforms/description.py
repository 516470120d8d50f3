"""What SimGrid reads of a platform: the file, and the options that belong to it."""

from leadline.model.platform import Platform
from leadline.topology.platforms.topology import topology_of

_HEADER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full">
"""


def description(platform: Platform, used: int) -> str:
    """Return the platform file (version 4.1) of a machine, its first `used` nodes in use.

    Raises `UserError` for what does not fit.
    """
    return f"{_HEADER}{topology_of(platform).zone(platform, used)}\n</zone>\n</platform>\n"
