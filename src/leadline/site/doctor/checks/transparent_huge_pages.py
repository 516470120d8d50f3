"""Pages of 2 MiB that come and go behind a program's back."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System

_NAME = "transparent-huge-pages"
_FOLDER = "/sys/kernel/mm/transparent_hugepage"
FILES = (f"{_FOLDER}/enabled", f"{_FOLDER}/defrag")
_MEANINGS = {
    "always": "Large buffers get huge pages where memory allows it: figures from about 2 MiB on "
    "depend on fragmentation.",
    "madvise": "Only buffers that ask for huge pages get them: figures do not depend on "
    "fragmentation.",
    "never": "All buffers are in small pages: large messages pay more for address translation.",
}


def check(system: System) -> CheckResult:
    """Warn where the kernel stops a program to make room for huge pages."""
    enabled = system.files.choice(f"{_FOLDER}/enabled")
    defrag = system.files.choice(f"{_FOLDER}/defrag")
    if enabled is None:
        return CheckResult(
            name=_NAME,
            status="ok",
            observed="not in this kernel",
            meaning=_MEANINGS["never"],
        )
    stalls = enabled == "always" and defrag == "always"
    return CheckResult(
        name=_NAME,
        status="warn" if stalls else "ok",
        observed=f"{enabled}, defragmentation {defrag or 'unknown'}",
        meaning=(
            "The first touch of a large buffer can stop the program while memory is compacted."
            if stalls
            else _MEANINGS.get(enabled, "")
        ),
        advice="Let the kernel compact memory only where a program asks." if stalls else None,
        command=f"echo madvise | sudo tee {_FOLDER}/defrag" if stalls else None,
    )
