"""Installing an MPI from PyPI, without root, into an environment of its own."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import FAMILIES

Run = Callable[[Sequence[str]], subprocess.CompletedProcess[str]]


def installable() -> dict[str, tuple[str, ...]]:
    """Return the packages of each family that PyPI has."""
    return {family.name: family.wheels for family in FAMILIES if family.wheels}


def run_quietly(argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and keep what it prints."""
    return subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def install(which: str, say: Callable[[str], None], run: Run = run_quietly) -> Installation:
    """Install the family `which` into leadline's home, unless it is there, and return it.

    The environment is made beside its place and moved there when it is complete, so that a
    failure leaves what was there before. `say` is told what happens, `run` starts programs.

    Raises `UserError` for an unknown family, where Python cannot make environments, and where
    the packages cannot be had.
    """
    packages = installable().get(which)
    if not packages:
        raise UserError(f"no MPI {which!r} to install: choose one of {', '.join(installable())}")
    place = paths.installations() / which
    if there := _installed(place):
        say(f"{there.name} is there already: remove {place} to install it anew")
        return there
    partial = _partial_folder(place)
    try:
        say(f"installing {' and '.join(packages)} from PyPI into {place}")
        _make_environment(partial, run)
        _fetch(partial, packages, run)
        _put_in_place(partial, place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if made := _installed(place, fresh=True):
        return made
    raise UserError(f"{' and '.join(packages)} brought no compiler wrapper into {place}")


def _installed(place: Path, *, fresh: bool = False) -> Installation | None:
    if not place.is_dir():
        return None
    found = find_installations(fresh=fresh)
    return next((each for each in found if Path(each.prefix) == place.resolve()), None)


def _partial_folder(place: Path) -> Path:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as error:
        raise UserError(
            f"cannot write to {place.parent}: {error.strerror}; set LEADLINE_HOME to a folder "
            "that can be written"
        ) from None


def _make_environment(folder: Path, run: Run) -> None:
    made = run([sys.executable, "-m", "venv", str(folder)])
    if made.returncode != 0:
        raise UserError(
            "this Python cannot make environments (venv with ensurepip): install python3-venv "
            "(Debian/Ubuntu), python3-pip (Fedora/RHEL) or python (Spack)"
            f" - it says: {_last_line(made.stdout)}"
        )


def _fetch(folder: Path, packages: Sequence[str], run: Run) -> None:
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    got = run([*pip, "install", "--quiet", "--no-input", *packages])
    if got.returncode != 0:
        raise UserError(
            f"{' and '.join(packages)} cannot be installed from PyPI (check the network, "
            f"HTTPS_PROXY and PIP_INDEX_URL): {_last_line(got.stdout)}"
        )


def _put_in_place(partial: Path, place: Path) -> None:
    former = partial.with_name(partial.name + ".old")
    try:
        if place.exists():
            place.rename(former)
        partial.rename(place)
    except OSError as error:
        if former.exists() and not place.exists():
            former.rename(place)
        raise UserError(f"cannot write {place}: {error.strerror}") from None
    finally:
        if place.exists():
            shutil.rmtree(former, ignore_errors=True)


def _last_line(text: str) -> str:
    """Return the line that says most: the last error, else the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it ended without a word"])[-1]
