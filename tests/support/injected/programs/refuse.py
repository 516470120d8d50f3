"""Run a program under a filter that refuses process_vm_readv and process_vm_writev (seccomp(2))."""

import ctypes
import os
import struct
import sys

# For x86-64: load the number of the call; 310 and 311 fail with EPERM, all else is allowed.
ROWS = [
    (0x20, 0, 0, 0),
    (0x15, 1, 0, 310),
    (0x15, 0, 1, 311),
    (6, 0, 0, 0x50001),
    (6, 0, 0, 0x7FFF0000),
]
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2

libc = ctypes.CDLL(None, use_errno=True)
code = b"".join(struct.pack("=HBBI", *row) for row in ROWS)
rows = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack("@HP", len(ROWS), ctypes.addressof(rows)))
assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
assert libc.prctl(SET_SECCOMP, FILTER, program, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
