"""The machine by which a profile is known: as the runtime itself says."""

import ctypes
from pathlib import Path

from leadline.core.errors import UserError

_ROOM = 256


def machine_name(preloaded: Path) -> str:
    """Return what leadline_machine() in the library `preloaded` says. Raises `UserError`."""
    try:
        function = ctypes.CDLL(str(preloaded)).leadline_machine
    except (OSError, AttributeError) as error:
        raise UserError(f"{preloaded} is not leadline's runtime: {error}") from error
    name = ctypes.create_string_buffer(_ROOM)
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    function.restype = ctypes.c_char_p
    function(name, _ROOM)
    return name.value.decode(errors="replace")
