import errno
from typing import Any

import pytest
from wording import faults

from leadline.model.summary import CheckResult
from leadline.site.doctor import examine
from leadline.site.doctor.checks import CHECKS
from leadline.site.doctor.system import SharedMemory, System
from leadline.site.processes import Process

CPU = "/sys/devices/system/cpu"
CLOCK = "/sys/devices/system/clocksource/clocksource0"
CLOCKS = ("current", "available")
HUGE = "/sys/kernel/mm/transparent_hugepage"
TWO_THREADS = {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": "0-3" for cpu in range(4)}
NO_GOVERNOR = {f"{CPU}/cpu{cpu}/cpufreq/scaling_governor": None for cpu in range(4)}
RDMA = {"/sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE"}
TURBO = f"{CPU}/intel_pstate/no_turbo"
GROUPS = "/sys/fs/cgroup"
STATUS = "/proc/self/status"
KERNEL = "/boot/config-6.1"
BALANCING = "/proc/sys/kernel/numa_balancing"
RUN = {check.name: check.run for check in CHECKS}


def run(name: str, system: System) -> CheckResult:
    found = RUN[name.replace("_", "-")](system)
    for text in filter(None, (found.meaning, found.advice)):
        assert not list(faults(text)) and text.endswith("."), text
    return found


def busy(name: str, cpu_share: float, **fields: Any) -> Process:
    facts = {"pid": 7, "parent": 1, "user": "me", "age_s": 120.0}
    return Process(name=name, cpu_share=cpu_share, **{**facts, **fields})


def refused(error: int) -> dict[str, Any]:
    return {"read_neighbour": lambda: error}


def test_a_quiet_machine_passes_every_check(made_up):
    results = examine(made_up())
    assert {result.name: result.observed for result in results if result.status != "ok"} == {}
    assert len(results) >= 15
    assert [result.name for result in results if result.advice] == []


def test_every_check_tells_its_name(made_up):
    assert [result.name for result in examine(made_up())] == sorted(check.name for check in CHECKS)


# Name, what is other than on a quiet machine (files by their paths, fields of `System`), and the
# words of status, observation and advice.
CASES = [
    ("frequency_governor", {f"{CPU}/cpu2/cpufreq/scaling_governor": "powersave"},
     "warn", "powersave on 1", "performance"),
    ("frequency_governor", NO_GOVERNOR, "unknown", "hypervisor", None),
    ("turbo", {TURBO: "0"}, "warn", "on", "echo 1"),
    ("turbo", {TURBO: None, f"{CPU}/cpufreq/boost": "1"}, "warn", "on", "echo 0"),
    ("turbo", {TURBO: None}, "unknown", "no turbo", None),
    ("clock_source", {f"{CLOCK}/current_clocksource": "hpet", "clock_read_s": lambda: 1.2e-6},
     "bad", "1.20 us", "echo tsc"),
    ("clock_source", {f"{CLOCK}/{which}_clocksource": "acpi_pm" for which in CLOCKS},
     "bad", "acpi_pm", "dmesg"),
    ("transparent_huge_pages",
     {f"{HUGE}/enabled": "[always] madvise never", f"{HUGE}/defrag": "[always] never"},
     "warn", "always, defragmentation always", "madvise"),
    ("transparent_huge_pages", {f"{HUGE}/enabled": None}, "ok", "not in this kernel", None),
    ("cores", {STATUS: "Cpus_allowed_list:\t2"}, "bad", "1 allowed (2) of 4", "two processors"),
    ("cores", {STATUS: "Cpus_allowed_list:\t0-1"}, "warn", "2 allowed (0-1) of 4", "whole node"),
    ("cores", {f"{CPU}/present": "0-7", f"{CPU}/isolated": "2-3"},
     "ok", "of 8 present; isolated: 2-3", None),
    ("hardware_threads", TWO_THREADS, "warn", "1 of 1 cores", "smt"),
    ("cpu_quota", {f"{GROUPS}/job/cpu.max": "150000 100000"}, "bad", "1.5 processors", "docker"),
    ("cpu_quota", {
        "/proc/self/cgroup": "3:cpu,cpuacct:/a/b",
        f"{GROUPS}/cpu/a/cpu.cfs_quota_us": "200000", f"{GROUPS}/cpu/a/cpu.cfs_period_us": "100000",
     }, "bad", "2 processors", "docker"),
    ("cpu_quota", {f"{GROUPS}/job/cpu.max": "max 100000"}, "ok", "no limit", None),
    ("other_load", {"processes": (busy("gcc", 0.2),)},
     "warn", "gcc (pid 7, me, 2 min", "Stop gcc (process 7, user me)"),
    ("other_load", {"processes": (busy("gcc", 0.97),)},
     "bad", "97% of a processor", "Stop gcc (process 7, user me)"),
    ("other_load", {"processes": (busy("leadline", 0.97, is_ancestor=True),)},
     "ok", "0.00 processors", None),
    ("oversubscription", {"/proc/stat": "cpu 1 0 1 1 0 0 0 0 0 0\nprocs_running 5"},
     "bad", "4 other tasks", "Wait"),
    ("oversubscription", {"/proc/loadavg": "6.00 1 1 1/9 1"},
     "warn", "6.00 in the last minute", "Wait"),
    ("stolen_time", {"stolen": 0.08}, "bad", "8.00% now", "dedicated"),
    ("stolen_time", {"/proc/stat": "cpu 90 0 0 9800 0 0 0 110 0 0"},
     "warn", "1.10% since", "dedicated"),
    ("shared_memory", {"shared_memory": lambda: None}, "bad", "no /dev/shm", "mount"),
    ("shared_memory", {"shared_memory": lambda: SharedMemory(2**34, 2**34, read_only=True)},
     "bad", "read-only", "remount"),
    ("shared_memory", {"shared_memory": lambda: SharedMemory(2**26, 2**25)},
     "bad", "32 MiB free of 64 MiB, 8 MiB for each of 4", "256 MiB"),
    ("shared_memory", {"shared_memory": lambda: SharedMemory(2**28, 2**27)},
     "warn", "32 MiB for each", "256 MiB"),
    ("single_copy", {"/proc/sys/kernel/yama/ptrace_scope": "1", **refused(errno.EPERM)},
     "warn", "ptrace_scope is 1", "sysctl"),
    ("single_copy", {STATUS: "Seccomp:\t2", **refused(errno.EPERM)},
     "warn", "seccomp", "SYS_PTRACE"),
    ("single_copy", refused(errno.ENOSYS), "warn", "unknown to this kernel", None),
    ("memory_lock", {**RDMA, "/proc/self/limits": "Max locked memory  65536  65536  bytes"},
     "bad", "limit 64 KiB, RDMA devices mlx5_0", "memlock to unlimited"),
    ("memory_lock", RDMA, "ok", "limit none, RDMA devices mlx5_0", None),
    ("memory_lock", {"/proc/self/limits": None}, "unknown", "does not tell", None),
    ("virtualization", {"/proc/cpuinfo": None}, "unknown", "does not describe", None),
    ("cpu_quota", {"/proc/self/status": None}, "unknown", "does not list", None),
    ("virtualization", {
        "/proc/cpuinfo": "flags : fpu hypervisor",
        "/sys/class/dmi/id/product_name": "Virtual Machine",
     }, "warn", "virtual machine (Virtual Machine)", None),
    ("virtualization", {"/proc/2/comm": None, "/.dockerenv": ""}, "ok", "container (docker)", None),
    ("memory_pressure", {"/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 9 kB"},
     "bad", "0.0 GiB available", "Stop programs"),
    ("memory_pressure",
     {"/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\nSwapTotal: 200000 kB\n"
                       "SwapFree: 0 kB"}, "warn", "195 MiB in swap", "swapoff"),
    ("timer_tick", {KERNEL: "CONFIG_HZ=1000"}, "warn", "1000 interrupts", "nohz_full"),
    ("timer_tick", {KERNEL: "CONFIG_HZ=1000", f"{CPU}/nohz_full": "0-3"},
     "ok", "4 of 4 processors without", None),
    ("timer_tick", {KERNEL: None}, "unknown", "unknown rate", None),
    ("numa_balancing", {BALANCING: "1"}, "warn", "on, 2 memory nodes", "sysctl"),
    ("numa_balancing", {BALANCING: "1", "/sys/devices/system/node/online": "0"},
     "ok", "on, 1 memory node", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "status", "observed", "advice"), CASES)
def test_a_disturbed_machine(made_up, name, changes, status, observed, advice):
    files = {path: text for path, text in changes.items() if path.startswith("/")}
    fields = {field: value for field, value in changes.items() if field not in files}
    result = run(name, made_up(files, **fields))
    assert result.status == status
    assert observed in result.observed
    assert result.meaning
    if advice is None:
        assert result.advice is None
    else:
        assert advice in f"{result.advice}\n{result.command}"


def test_other_load_names_the_three_busiest(made_up):
    shares = {"a": 0.1, "b": 0.4, "c": 0.3, "d": 0.2}
    crowd = tuple(busy(name, share, pid=ord(name)) for name, share in shares.items())
    result = run("other_load", made_up(processes=crowd))
    assert [name for name in shares if f"{name} (pid" in result.observed] == ["b", "c", "d"]
    assert result.numbers["busy_processors"] == pytest.approx(1.0)


def test_nobody_is_told_to_end_the_kernels_threads(made_up):
    thread = busy("kdamond.0", 0.9, parent=2)
    result = run("other_load", made_up(processes=(thread,)))
    assert result.status == "bad" and "kdamond.0" in result.observed
    assert result.advice is None
