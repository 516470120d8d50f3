"""What probes and runtime are made of, and whether it has changed."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

# What each is made of.
PROBE = ("CMakeLists.txt", "probes", "algorithms")
RUNTIME = ("CMakeLists.txt", "runtime", "algorithms")
SCHEDULES = ("CMakeLists.txt", "schedules", "algorithms", "probes")


def signature_by_time(root: Path, parts: Sequence[str]) -> str:
    """Return a digest of the names, sizes and modification times of these `parts` of `root`.

    It takes a fraction of a millisecond and is equal only where nothing was touched.
    """
    lines = []
    for path in _files(root, parts):
        stat = path.stat()
        lines.append(f"{path.relative_to(root)} {stat.st_size} {stat.st_mtime_ns}")
    return _digest("\n".join([str(root), *lines]).encode())


def signature_by_content(root: Path, parts: Sequence[str]) -> str:
    """Return a digest of the names and contents of the sources in these `parts` of `root`."""
    pieces = []
    for path in _files(root, parts):
        pieces.append(f"{path.relative_to(root)} {_digest(path.read_bytes())}")
    return _digest("\n".join(pieces).encode())


def _files(root: Path, parts: Sequence[str]) -> Iterator[Path]:
    for part in parts:
        path = root / part
        if path.is_file():
            yield path
        else:
            yield from sorted(file for file in path.rglob("*") if file.is_file())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
