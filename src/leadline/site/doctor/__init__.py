"""What on this machine disturbs a measurement, and what to do about it."""

from leadline.site.doctor.examination import as_json, examine
from leadline.site.doctor.system import System

__all__ = ["System", "as_json", "examine"]
