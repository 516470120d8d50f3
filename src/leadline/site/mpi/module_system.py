"""Environment modules, Lmod's and the Tcl ones: the program behind the shell's `module`."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path


def command(environment: Mapping[str, str]) -> str | None:
    """Return the program behind `module`, which is a function of each shell; None without one."""
    for variable in ("LMOD_CMD", "MODULES_CMD"):
        if environment.get(variable):
            return environment[variable]
    home = environment.get("MODULESHOME")
    beside = os.pathsep.join(str(Path(home) / part) for part in ("bin", "libexec")) if home else ""
    search = os.pathsep.join(filter(None, (beside, environment.get("PATH", ""))))
    return shutil.which("modulecmd", path=search) or shutil.which("modulecmd.tcl", path=search)
