"""Links that take time: the program that forwards frames late, built once and started.

No queueing discipline that delays (netem) is in every kernel; packet sockets are.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.site.vcluster import namespaces
from leadline.site.vcluster.cluster import DELAY, Cluster

_SOURCE = Path(__file__).with_name("programs") / "delay.cpp"


def build() -> Path:
    """Return the program, built where it was not yet. Raises `UserError`."""
    names = filter(None, (os.environ.get("CXX"), "c++", "g++", "clang++"))
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise UserError("links with a latency need a C++ compiler: install g++ or set CXX")
    content = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    program = paths.home() / "lab" / f"delay-{content}"
    if program.exists():
        return program
    unfinished = program.with_suffix(f".{os.getpid()}")
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make {program.parent}: {error.strerror}") from None
    words = [compiler, "-std=c++20", "-O2", str(_SOURCE), "-o", str(unfinished)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = next((line for line in done.stderr.splitlines() if "error" in line), "no word why")
        raise UserError(f"{compiler} cannot build {_SOURCE.name}: {said}")
    unfinished.replace(program)
    return program


def start(
    folder: Path, switch: int, program: Path, ports: Iterable[str], name: str = DELAY
) -> None:
    """Start it in the network of process `switch`. Raises `UserError` where it does not work.

    Of several in a cluster each has a `name`.
    """
    argv = [str(program), str(folder / f"{name}.pid"), *ports]
    entering = ["nsenter", f"--net=/proc/{switch}/ns/net", "--", *argv]
    started = namespaces.start_marked(folder, name, entering)
    namespaces.await_holder(folder, name, started)


def names(cluster: Cluster) -> tuple[str, ...]:
    """Return the names of all that forward late in a cluster: one for all links, or one each."""
    return (DELAY,) if cluster.latency_ns else tuple(map(of_link, cluster.late_ns))


def of_link(link: str) -> str:
    """Return the name of what forwards late on one link alone."""
    return f"{DELAY}-{link}"
