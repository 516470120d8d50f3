"""The checks of a machine, which are functions, and the table of them."""

from collections.abc import Callable
from typing import NamedTuple

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks import clock, load, memory, processors
from leadline.site.doctor.system import System


class Check(NamedTuple):
    """One check. `files` are the paths that it reads where it needs nothing but a few files.

    A `*` in them may be one part of a path.
    """

    name: str
    run: Callable[[System], CheckResult]
    files: tuple[str, ...] = ()


CHECKS = (
    Check("clock-source", clock.clock_source, clock.CLOCK_SOURCE_FILES),
    Check("cores", processors.cores, processors.CORES_FILES),
    Check("cpu-quota", processors.cpu_quota),
    Check("frequency-governor", processors.frequency_governor, processors.FREQUENCY_GOVERNOR_FILES),
    Check("hardware-threads", processors.hardware_threads),
    Check("left-over-processes", load.left_over_processes),
    Check("memory-lock", memory.memory_lock, memory.MEMORY_LOCK_FILES),
    Check("memory-pressure", memory.memory_pressure),
    Check("numa-balancing", memory.numa_balancing, memory.NUMA_BALANCING_FILES),
    Check("other-load", load.other_load),
    Check("oversubscription", load.oversubscription),
    Check("shared-memory", memory.shared_memory),
    Check("single-copy", memory.single_copy),
    Check("stolen-time", load.stolen_time),
    Check("timer-tick", clock.timer_tick),
    Check("transparent-huge-pages", memory.transparent_huge_pages, memory.HUGE_PAGES_FILES),
    Check("turbo", processors.turbo, processors.TURBO_FILES),
    Check("virtualization", clock.virtualization),
)
