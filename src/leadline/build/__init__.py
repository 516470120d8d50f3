"""Probes: built once for each installation, and again when anything they are made of changes."""

from leadline.build.probe import Probe, check_library, probe_for

__all__ = ["Probe", "check_library", "probe_for"]
