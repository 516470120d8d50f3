"""Getting the wheels of leadline and its dependencies, and writing them behind their installer."""

import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from leadline import __version__
from leadline.core.errors import UserError
from leadline.exchange.pack.own_wheel import own_wheel
from leadline.store.disk import replacing

# The oldest C library whose wheels are taken is that of RHEL 8; these run with newer ones.
_GLIBC = range(28, 16, -1)
_HERE = Path(__file__).parent


def pack(
    file: Path,
    pythons: Sequence[str],
    extras: Sequence[str],
    say: Callable[[str], None],
    wheel: Path | None = None,
) -> int:
    """Write the file that installs leadline with `extras` for these versions of Python.

    Return its bytes. `wheel` replaces this leadline's. Raises `UserError` where a wheel cannot be
    had or the file not be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        wheel = wheel or own_wheel(Path(folder))
        wheels = Path(folder) / "wheels"
        for version in pythons:
            say(f"getting the wheels for Python {version} on {platform.machine()}")
            chosen = f"[{','.join(extras)}]" if extras else ""
            _download(wheels, version, [f"{wheel}{chosen}", "pip"])
        return write(file, sorted(wheels.iterdir()), pythons, extras)


def _download(wheels: Path, version: str, requirements: Sequence[str]) -> None:
    machine = platform.machine()
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in _GLIBC]
    platforms += [f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "linux")]
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--dest", str(wheels), "--only-binary", ":all:"),
        *("--python-version", version, "--implementation", "cp"),
        *(word for each in platforms for word in ("--platform", each)),
        *requirements,
    ]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode:
        said = [line for line in ended.stderr.splitlines() if line.strip()] or ["pip failed"]
        if "No module named pip" in ended.stderr:
            said = [f"pip is missing: `{sys.executable} -m ensurepip`"]
        raise UserError(f"cannot get the wheels: {said[-1].removeprefix('ERROR: ')}")


def write(file: Path, wheels: Sequence[Path], pythons: Sequence[str], extras: Sequence[str]) -> int:
    """Write the wheels behind their installer into `file`, and return its bytes.

    Raises `UserError` where that fails.
    """
    words = {
        "VERSION": __version__,
        "MACHINE": platform.machine(),
        "PROGRAMS": " ".join(f"python{each}" for each in pythons),
        "PYTHONS": " ".join(pythons),
        "DNF": f"python{pythons[0]}",
    }
    start = (_HERE / "start.sh").read_text()
    for word, text in words.items():
        start = start.replace(f"@{word}@", text)
    chosen = f"[{','.join(extras)}]" if extras else ""
    with replacing(file) as partial:
        with partial.open("wb") as stream:
            stream.write(start.encode())
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as packed:
                packed.writestr("__main__.py", (_HERE / "installer.py").read_text())
                packed.writestr("requirement", f"leadline{chosen}=={__version__}")
                packed.writestr("folder", f"leadline-{__version__}")
                for wheel in wheels:
                    packed.write(wheel, f"wheels/{wheel.name}")
        partial.chmod(0o755)
    return file.stat().st_size
