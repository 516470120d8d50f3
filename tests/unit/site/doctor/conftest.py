"""A made-up machine: its files, and everything else that a check may look at."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.site.doctor.system import Interval, SharedMemory, System
from leadline.site.hardware.files import Files
from leadline.site.processes import Process

_CPU = "/sys/devices/system/cpu"

# A quiet node with four cores, two threads on none of them.
_QUIET = {
    f"{_CPU}/online": "0-3",
    f"{_CPU}/present": "0-3",
    f"{_CPU}/isolated": "",
    **{f"{_CPU}/cpu{cpu}/topology/thread_siblings_list": str(cpu) for cpu in range(4)},
    **{f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor": "performance" for cpu in range(4)},
    f"{_CPU}/intel_pstate/no_turbo": "1",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "/sys/devices/system/node/online": "0-1",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "/sys/kernel/mm/transparent_hugepage/defrag": "always defer [madvise] never",
    "/proc/self/status": "Name:\tx\nSeccomp:\t0\nCpus_allowed_list:\t0-3",
    "/proc/self/limits": "Max locked memory         unlimited            unlimited    bytes",
    "/proc/self/cgroup": "0::/job",
    "/proc/cpuinfo": "processor : 0\nmodel name : Made up\nflags : fpu sse2",
    "/proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\nSwapTotal: 500000 kB\n"
    "SwapFree: 500000 kB",
    "/proc/loadavg": "0.10 0.20 0.30 1/90 100",
    "/proc/stat": "cpu  100 0 100 9800 0 0 0 0 0 0\nctxt 5\nprocs_running 1",
    "/proc/2/comm": "kthreadd",
    "/proc/sys/kernel/numa_balancing": "0",
    "/proc/sys/kernel/osrelease": "6.1",
    "/boot/config-6.1": "CONFIG_HZ_250=y\nCONFIG_HZ=250",
}


@pytest.fixture
def made_up(tmp_path: Path) -> Callable[..., System]:
    """Return a function that makes a quiet machine, changed by what it is given.

    `files` replaces contents, None removes a file; `processes` and `stolen` are what happens in
    the interval; other names are fields of `System`.
    """

    def make(
        files: dict[str, str | None] | None = None,
        processes: tuple[Process, ...] = (),
        stolen: float = 0.0,
        **fields: Any,
    ) -> System:
        for path, content in {**_QUIET, **(files or {})}.items():
            if content is not None:
                target = tmp_path / path.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content + "\n")
        rates = {"busy_fraction": 0.0, "stolen_fraction": stolen, "sample_s": 0.2}
        quiet: dict[str, Any] = {
            "user": "me",
            "environment": {},
            "shared_memory": lambda: SharedMemory(2**33, 2**33),
            "read_neighbour": lambda: 0,
            "clock_read_s": lambda: 50e-9,
            "observe": lambda _: lambda: Interval(rates, processes),
        }
        return System(files=Files(tmp_path), **{**quiet, **fields})

    return make
