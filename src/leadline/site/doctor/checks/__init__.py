"""The checks of a machine, which are functions, and the table of them."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks import clock, load, memory, processors
from leadline.site.doctor.system import System


class Check(NamedTuple):
    """One check. `files` are the paths that it reads where it needs nothing but a few files.

    A `*` in them may be one part of a path.
    """

    run: Callable[[System], CheckResult]
    files: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return self.run.__name__.replace("_", "-")

    def result(self, system: System) -> CheckResult:
        """Return what it finds, with its name."""
        return msgspec.structs.replace(self.run(system), name=self.name)


CHECKS = (
    Check(clock.clock_source, clock.CLOCK_SOURCE_FILES),
    Check(processors.cores, processors.CORES_FILES),
    Check(processors.cpu_quota),
    Check(processors.frequency_governor, processors.FREQUENCY_GOVERNOR_FILES),
    Check(processors.hardware_threads),
    Check(load.left_over_processes),
    Check(memory.memory_lock, memory.MEMORY_LOCK_FILES),
    Check(memory.memory_pressure),
    Check(memory.numa_balancing, memory.NUMA_BALANCING_FILES),
    Check(load.other_load),
    Check(load.oversubscription),
    Check(memory.shared_memory),
    Check(memory.single_copy),
    Check(load.stolen_time),
    Check(clock.timer_tick),
    Check(memory.transparent_huge_pages, memory.HUGE_PAGES_FILES),
    Check(processors.turbo, processors.TURBO_FILES),
    Check(clock.virtualization),
)
