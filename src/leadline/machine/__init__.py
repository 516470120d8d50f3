"""What this machine is, and how busy it is."""

from leadline.machine.facts import facts
from leadline.machine.load import load

__all__ = ["facts", "load"]
