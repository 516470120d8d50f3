"""What programs and libraries say of themselves: asked once, and remembered while they stay."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.processes import ask

_PATIENCE_S = 20


def fingerprint(path: Path) -> str:
    """Return a text that changes when the file behind `path` does; empty where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return ""
    return f"{path} {stat.st_size} {stat.st_mtime_ns}"


class Answers:
    """The answers to commands, by the fingerprints of what was asked.

    They are kept in `LEADLINE_HOME/kernels/answers.json`; a home that cannot be written only costs
    time the next time.
    """

    def __init__(self) -> None:
        self._file = paths.kernels() / "answers.json"
        self._known: dict[str, str] = {}
        with suppress(OSError, msgspec.DecodeError):
            self._known = msgspec.json.decode(self._file.read_bytes(), type=dict[str, str])
        self._new = False

    def ask(self, of: Path, argv: Sequence[str], environment: Mapping[str, str]) -> str:
        """Return what `argv` prints about the file `of`; empty where it fails."""
        key = f"{fingerprint(of)} {' '.join(argv)}"
        if key not in self._known:
            self._known[key] = _run(argv, environment)
            self._new = True
        return self._known[key]

    def keep(self) -> None:
        """Write down what was learnt."""
        if not self._new:
            return
        partial = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(msgspec.json.encode(self._known))
            partial.replace(self._file)


def _run(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    result = ask(argv, _PATIENCE_S, {**environment, "LC_ALL": "C"})
    return "" if result.status else result.output
