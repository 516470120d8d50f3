"""The programs that a build needs: CMake, Ninja and compilers."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from leadline.core.errors import UserError

_COMPILERS = {"C++ compiler": ("CXX", "c++", "g++", "clang++"), "C compiler": ("CC", "cc", "gcc")}
_PACKAGES = {
    "C++ compiler": "g++ (Debian/Ubuntu), gcc-c++ (Fedora/RHEL) or gcc (Spack)",
    "C compiler": "gcc (Debian/Ubuntu, Fedora/RHEL, Spack)",
}


def cmake() -> str:
    """Return CMake's path. Raises `UserError` where there is none."""
    return _tool("cmake")


def ninja() -> str:
    """Return Ninja's path. Raises `UserError` where there is none."""
    return _tool("ninja")


def compilers(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the paths of the C++ and the C compiler, as CMake would choose them.

    CMake's search for MPI tries its C interface, so that both languages are needed.
    """
    return {name: _compiler(name, environment) for name in _COMPILERS}


def require_compilers(environment: Mapping[str, str]) -> None:
    """Raise `UserError` that names the packages where a compiler is missing."""
    for name, path in compilers(environment).items():
        variable = _COMPILERS[name][0]
        if path is None and environment.get(variable):
            raise UserError(
                f"{variable}={environment[variable]}: not found: name a compiler, or unset it"
            )
        if path is None:
            raise UserError(f"no {name}: install {_PACKAGES[name]}")


def _tool(name: str) -> str:
    beside = Path(sys.executable).parent
    found = shutil.which(name, path=str(beside)) or shutil.which(name)
    if not found:
        raise UserError(f"{name} is not installed: `{sys.executable} -m pip install {name}`")
    return found


def _compiler(name: str, environment: Mapping[str, str]) -> str | None:
    variable, *usual = _COMPILERS[name]
    search = environment.get("PATH", os.defpath)
    chosen = environment.get(variable, "").split()[:1]
    return next(filter(None, (shutil.which(each, path=search) for each in chosen or usual)), None)
