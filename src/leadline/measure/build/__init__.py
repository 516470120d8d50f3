"""Probes and runtimes: built once for each ABI, again when their sources change."""

from leadline.measure.build.probe import Probe, check_library, probe_for, program, whole_program
from leadline.measure.build.runtime import observer_for, runtime_for

__all__ = [
    "Probe",
    "check_library",
    "observer_for",
    "probe_for",
    "program",
    "runtime_for",
    "whole_program",
]
