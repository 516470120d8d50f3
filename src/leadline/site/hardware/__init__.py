"""What this machine is, and how busy it is."""

from leadline.site.hardware.activity import OtherLoad, load, queue
from leadline.site.hardware.inventory import facts

__all__ = ["OtherLoad", "facts", "load", "queue"]
