"""What this machine is, and how busy it is."""

from leadline.machine.inventory import facts
from leadline.machine.activity import load

__all__ = ["facts", "load"]
