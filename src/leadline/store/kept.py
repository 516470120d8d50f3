"""What runs say, kept in LEADLINE_HOME: who looks again need not analyse samples again.

A file is called by the digest of all that it was made of: a run, its samples and leadline's
sources. So it is never out of date, wherever the run's folder lies and whoever else has read it. It
does not lie in that folder, which may be anybody's work: what is said of a run ends in commands
that people copy.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder
from leadline.store.launches import SAMPLES

# The rooms that an analysis can import from.
_ROOMS = ("core", "model", "topology", "site", "store", "measure", "analysis")
_PACKAGE = Path(__file__).resolve().parents[1]
# So many are kept, those that were used last.
_MOST = 200
_CHUNK = 2**20
_DIGEST = 16


def describe_inputs(folder: RunFolder, run: Run) -> str:
    """Return what is another one as soon as the analysis of the run could be.

    An empty text stands for a run whose analysis is not kept: it is being measured, or strange.
    """
    if run.outcome.state == "running":
        return ""
    found = hashlib.blake2b(_sources(), digest_size=_DIGEST)
    samples = [folder.parquet]
    if not folder.parquet.exists():
        samples = sorted(folder.path.glob(f"launches/*/{SAMPLES}"))
    if not all(path.is_file() for path in samples):
        return ""  # to open a pipe would wait for who writes to it
    try:
        found.update(msgspec.msgpack.encode(run))
        for path in samples:
            found.update(f"{path.relative_to(folder.path)} {path.stat().st_size}\n".encode())
            for chunk in _chunks(path):
                found.update(chunk)
    except (OSError, ValueError, OverflowError, TypeError):
        return ""
    return found.hexdigest()


def read_analysis(made_of: str) -> Analysis | None:
    """Return the analysis of what `describe_inputs` returned, None where it is not kept whole."""
    if not made_of:
        return None
    try:
        content = _file(made_of).read_bytes()
        if content[:_DIGEST] != _digest(content[_DIGEST:]):
            return None
        found = msgspec.msgpack.decode(content[_DIGEST:], type=Analysis)
    except (OSError, msgspec.MsgspecError):
        return None
    with suppress(OSError):
        os.utime(_file(made_of))
    return found


def keep_analysis(made_of: str, analysis: Analysis) -> None:
    """Keep the analysis of what `describe_inputs` returned, where that can be written."""
    if not made_of:
        return
    body = msgspec.msgpack.encode(analysis)
    path = _file(made_of)
    with suppress(OSError, UserError, msgspec.MsgspecError):
        if msgspec.msgpack.encode(msgspec.msgpack.decode(body, type=Analysis)) != body:
            return  # what would be read is not what was made
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_bytes(_digest(body) + body)
        _leave_the_last(path.parent)


def _file(made_of: str) -> Path:
    return paths.analyses() / f"{made_of}.msgpack"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _leave_the_last(folder: Path) -> None:
    every = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for path in every[:-_MOST]:
        path.unlink(missing_ok=True)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


@cache
def _sources() -> bytes:
    """Return a digest of all sources that could make a difference to an analysis."""
    found = hashlib.blake2b(__version__.encode())
    for path in sorted(path for room in _ROOMS for path in (_PACKAGE / room).rglob("*.*")):
        if path.suffix in (".py", ".toml"):
            content = path.read_bytes()
            found.update(f"{path.relative_to(_PACKAGE)} {len(content)}\n".encode() + content)
    return found.digest()
