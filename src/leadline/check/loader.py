"""What the loader writes when it cannot start a program (ld.so(8))."""

import re
from typing import NamedTuple

_MISSING = re.compile(r"error while loading shared libraries: ([^\s:]+): cannot open shared object")
_OLDER = re.compile(r"(\S+): version [`'](\S+)' not found \(required by ([^)\s]+)\)")


class Older(NamedTuple):
    """A library that was found, and lacks a version of its interface that another one needs."""

    path: str
    version: str
    by: str


def missing_library(output: str) -> str:
    """Return the name of the first library that was not found, empty where all were.

    >>> missing_library("./a: error while loading shared libraries: libmpi.so.40: cannot open "
    ...     "shared object file: No such file or directory")
    'libmpi.so.40'
    """
    found = _MISSING.search(output)
    return found[1] if found else ""


def older_library(output: str) -> Older | None:
    """Return the first library that is older than another one needs, None where there is none.

    >>> older_library("./a: /lib/libfabric.so.1: version `FABRIC_1.9' not found (required by "
    ...     "/opt/lib/libmpi.so.40)")
    Older(path='/lib/libfabric.so.1', version='FABRIC_1.9', by='/opt/lib/libmpi.so.40')
    """
    found = _OLDER.search(output)
    return Older(found[1], found[2], found[3]) if found else None
