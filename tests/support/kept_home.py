"""A fresh home of leadline's for tests, with what is built once kept between sessions."""

from pathlib import Path

from checkout import CHECKOUT

# Folders of a home that hold nothing but what leadline builds: it builds again what has changed,
# and lets one process at a time build.
BUILT = ("probes", "runtime", "kernels", "schedules", "cache")
KEPT = CHECKOUT / "build" / "test-home"


def make_home(folder: Path) -> Path:
    """Make a home in which runs, profiles, platforms and installed MPIs are none's but its own."""
    folder.mkdir(parents=True)
    for name in BUILT:
        (KEPT / name).mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(KEPT / name)
    # Its lock lies beside the folder of the build.
    (folder / ".schedules.lock").symlink_to(KEPT / ".schedules.lock")
    return folder
