"""Summaries of jobs that have ended, kept in LEADLINE_HOME: their files are read once.

Whoever reads keeps them for himself. A summary is used as long as the file has its number, size and
times: to change one without that takes root. What is kept is of the sources that made it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.explain.job_file import Stamp
from leadline.model import job_report
from leadline.model.job_report import JobSummary
from leadline.store.disk import replacing

# So many are kept of a folder, the newest ones: some hundred bytes each.
_MOST = 200_000
# What is read faster than it is written.
_FEW = 50
_EXPLAIN = Path(__file__).resolve().parents[1]
Summaries = dict[str, tuple[Stamp, JobSummary]]


def read_kept(folder: Path) -> Summaries:
    """Return what is kept of the files of a folder, by their paths."""
    with suppress(OSError, UserError, msgspec.MsgspecError):
        return msgspec.msgpack.decode(_file(folder).read_bytes(), type=Summaries)
    return {}


def keep(folder: Path, known: Summaries, new: Summaries) -> None:
    """Keep new summaries beside those that were known, where that can be written."""
    if len(new) < _FEW:
        return
    newest = sorted((known | new).items(), key=lambda each: -each[1][1].began)[:_MOST]
    with suppress(UserError, OSError):
        file = _file(folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as partial:
            partial.write_bytes(msgspec.msgpack.encode(dict(newest)))


def _file(folder: Path) -> Path:
    made_of = hashlib.blake2b(_sources() + str(folder.absolute()).encode(), digest_size=16)
    return paths.jobs() / f"{made_of.hexdigest()}.msgpack"


@cache
def _sources() -> bytes:
    """Return a digest of the code that makes a summary of a file."""
    found = hashlib.blake2b(digest_size=16)
    for path in _python_files():
        found.update(path.read_bytes())
    return found.digest()


def _python_files() -> Iterable[Path]:
    yield Path(job_report.__file__)
    yield from sorted(_EXPLAIN.rglob("*.py"))
