"""NumPy as its users call it, with the interpreter in between."""

import importlib.metadata
import importlib.util
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from leadline.site.software.library import Folders, Library


class _NumPy:
    name = "numpy"

    def find(self, folders: Folders) -> Iterator[Library]:
        """Yield the NumPy of this interpreter, which must be there as a shared library."""
        spec = importlib.util.find_spec("numpy")
        if spec is None or spec.origin is None:
            return
        version = importlib.metadata.version("numpy")
        python = f"libpython{sysconfig.get_python_version()}.so"
        own = Path(str(sysconfig.get_config_var("LIBDIR"))) / python
        everywhere = (folder / file for folder in folders.paths for file in (python, f"{python}.1"))
        path = next((file for file in (own, *everywhere) if file.exists()), None)
        yield Library(
            name=f"{self.name}-{version}",
            shim="numpy",
            path=(path or own).resolve(),
            definitions={"LEADLINE_PACKAGES": str(Path(spec.origin).parents[1])},
            lacking="" if path else f"the interpreter is no shared library ({python})",
        )


LIBRARY = _NumPy()
