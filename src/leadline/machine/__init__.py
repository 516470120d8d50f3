"""What this machine is, and how busy it is."""

from leadline.machine.activity import Bystanders, load, queue
from leadline.machine.company import Watch
from leadline.machine.inventory import facts

__all__ = ["Bystanders", "Watch", "facts", "load", "queue"]
