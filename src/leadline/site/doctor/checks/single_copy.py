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
            meaning="Libraries can copy a large message once inside a node.",
            numbers=numbers,
        )
    reason, advice = _refusal(system.files, error, scope)
    return CheckResult(
        name="single-copy",
        status="warn",
        observed=f"process_vm_readv is refused ({os.strerror(error)}): {reason}",
        meaning="Messages inside a node are copied twice: large ones reach about half the "
        "bandwidth of the memory.",
        advice=advice,
        command="sudo sysctl kernel.yama.ptrace_scope=0"
        if scope and error != errno.ENOSYS
        else None,
        numbers=numbers,
    )


def _refusal(files: Files, error: int, scope: int | None) -> tuple[str, str | None]:
    if error == errno.ENOSYS:
        return "unknown to this kernel or sandbox", None
    if scope:
        return (
            f"yama's ptrace_scope is {scope}; at 1 libraries can ask for permission (prctl)",
            "Allow it for all processes of a user.",
        )
    if files.table("/proc/self/status").get("Seccomp") == "2":
        return (
            "a seccomp filter is on, as in containers",
            "Start the container with the capability SYS_PTRACE, or with another seccomp profile.",
        )
    return "a security module or missing capability", "Start with the capability SYS_PTRACE."
