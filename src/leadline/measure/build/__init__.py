"""Probes and runtimes: built once for each installation, again when their sources change."""

from leadline.measure.build.probe import Probe, check_library, probe_for
from leadline.measure.build.runtime import runtime_for

__all__ = ["Probe", "check_library", "probe_for", "runtime_for"]
