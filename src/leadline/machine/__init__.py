"""What this machine is, and how busy it is."""

from leadline.machine.activity import load
from leadline.machine.inventory import facts

__all__ = ["facts", "load"]
