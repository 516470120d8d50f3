"""What a run says, kept in its folder: who looks again need not analyse its samples again.

The first line of the file says what it was made of: the run, its samples and leadline's sources.
Where any of these is another one now, or the file is damaged, it is as if there were none. It holds
values and no code: anybody may have made the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

import msgspec

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder
from leadline.store.launches import SAMPLES

FILE = "analysis.msgpack"

_PACKAGE = Path(__file__).resolve().parents[1]
# The rooms that an analysis can import from.
_ROOMS = ("core", "model", "topology", "site", "store", "measure", "analysis")
_CHUNK = 2**20
_LONGEST_LINE = 1000


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """Of what the analysis was made, the digest of its bytes, and the grade of trust for lists."""

    made_of: str
    digest: str
    grade: str


def describe_inputs(folder: RunFolder, run: Run) -> str:
    """Return what is another one as soon as the analysis of the run could be.

    An empty text stands for a run whose analysis is not kept: it is being measured, or strange.
    """
    if run.outcome.state == "running":
        return ""
    found = hashlib.blake2b(_sources(), digest_size=16)
    samples = [folder.parquet]
    if not folder.parquet.exists():
        samples = sorted(folder.path.glob(f"launches/*/{SAMPLES}"))
    try:
        found.update(msgspec.msgpack.encode(run))
        for path in samples:
            found.update(f"{path.relative_to(folder.path)} {path.stat().st_size}\n".encode())
            for chunk in _chunks(path):
                found.update(chunk)
    except (OSError, ValueError, OverflowError, TypeError):
        return ""
    return found.hexdigest()


def read_analysis(folder: RunFolder, made_of: str) -> Analysis | None:
    """Return the analysis that was kept of what `describe_inputs` returned; None for none."""
    try:
        with _opened(folder.path) as stream:
            head = _read_head(stream)
            if not made_of or head.made_of != made_of:
                return None
            body = stream.read()
        if head.digest != _digest(body):
            return None
        return msgspec.msgpack.decode(body, type=Analysis)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def keep_analysis(folder: RunFolder, made_of: str, analysis: Analysis, grade: str) -> None:
    """Write the analysis of what `describe_inputs` returned into a folder that can be written."""
    if not made_of:
        return
    body = msgspec.msgpack.encode(analysis)
    # A run that one may only read is shown all the same.
    with suppress(OSError, UserError, msgspec.MsgspecError):
        if msgspec.msgpack.encode(msgspec.msgpack.decode(body, type=Analysis)) != body:
            return  # what would be read is not what was made
        head = msgspec.json.encode(_Head(made_of=made_of, digest=_digest(body), grade=grade))
        with replacing(folder.path / FILE) as temporary:
            temporary.write_bytes(head + b"\n" + body)


def read_grade(folder: Path) -> str:
    """Return the grade that was kept last, whatever it was made of; empty where there is none."""
    try:
        with _opened(folder) as stream:
            return _read_head(stream).grade
    except (OSError, msgspec.MsgspecError):
        return ""


def _opened(folder: Path) -> BinaryIO:
    path = folder / FILE
    if not path.is_file():  # to open a pipe would wait for who writes to it
        raise FileNotFoundError(path)
    return path.open("rb")


def _read_head(stream: BinaryIO) -> _Head:
    return msgspec.json.decode(stream.readline(_LONGEST_LINE), type=_Head)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


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
