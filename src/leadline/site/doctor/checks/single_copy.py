"""Whether a rank may copy straight from another rank's memory."""

import errno
import os

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files

_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


def check(system: System) -> CheckResult:
    """Try process_vm_readv between two processes and explain a refusal."""
    error = system.read_neighbour()
    scope = system.files.number(_SCOPE)
    numbers = {"error": float(error)} | ({} if scope is None else {"ptrace_scope": float(scope)})
    if error == 0:
        return CheckResult(
            name="single-copy",
            status="ok",
            observed="process_vm_readv works between two processes",
            meaning="Libraries that can will copy a large message once inside a node.",
            numbers=numbers,
        )
    reason, advice = _refusal(system.files, error, scope)
    return CheckResult(
        name="single-copy",
        status="warn",
        observed=f"process_vm_readv is refused ({os.strerror(error)}): {reason}",
        meaning="Messages inside a node are copied twice, through shared memory: large ones "
        "reach about half the bandwidth that this memory allows.",
        advice=advice,
        numbers=numbers,
    )


def _refusal(files: Files, error: int, scope: int | None) -> tuple[str, str | None]:
    if error == errno.ENOSYS:
        return "this kernel or sandbox does not have it", None
    if scope:
        return (
            f"yama's ptrace_scope is {scope}; libraries that ask for leave (prctl) still can "
            "where it is 1",
            "sudo sysctl kernel.yama.ptrace_scope=0",
        )
    if files.table("/proc/self/status").get("Seccomp") == "2":
        return (
            "a seccomp filter is on, as containers have",
            "start the container with --cap-add=SYS_PTRACE or a seccomp profile that allows it",
        )
    return "a security module or missing capability", "start with the capability SYS_PTRACE"
