"""Whether one process may read another's memory, tried for real."""

import os
import subprocess
import sys

_PATIENCE_S = 5

# The child reads its parent: like a rank that reads another one, it is not the other's ancestor,
# which is what the yama security module asks for.
_CHILD = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
if not hasattr(libc, "process_vm_readv"):
    sys.exit(38)
pid, address, size = map(int, sys.argv[1:])
copy = ctypes.create_string_buffer(size)
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here, there = Piece(ctypes.addressof(copy), size), Piece(address, size)
unsigned = ctypes.c_ulong
got = libc.process_vm_readv(
    pid, ctypes.byref(here), unsigned(1), ctypes.byref(there), unsigned(1), unsigned(0)
)
if got != size:
    sys.exit(ctypes.get_errno() or 5)
sys.stdout.buffer.write(copy.raw)
"""


def error_of_reading_a_neighbour() -> int:
    """Return the error number of process_vm_readv between two processes, 0 where it works.

    Raises `OSError` where what was read is not what was there.
    """
    import ctypes

    secret = os.urandom(32)
    buffer = ctypes.create_string_buffer(secret, len(secret))
    place = (os.getpid(), ctypes.addressof(buffer), len(secret))
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _CHILD, *map(str, place)],
        capture_output=True,
        timeout=_PATIENCE_S,
    )
    if child.returncode == 0 and child.stdout != secret:
        raise OSError("process_vm_readv succeeded but returned other bytes than were there")
    return abs(child.returncode)
