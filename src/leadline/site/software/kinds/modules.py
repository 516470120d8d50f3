"""Environment modules: every version, and which one `module load NAME` takes."""

from collections.abc import Iterator

from leadline.model.software import Item
from leadline.site.mpi.sources import module_command
from leadline.site.software.host import Host

_PATIENCE_S = 20.0


class Modules:
    """Lmod's and the Tcl ones print on stderr, in the same words if they are asked to be terse."""

    name = "module"
    order = 50

    def find(self, here: Host) -> Iterator[Item]:
        """Yield the modules that `module avail` lists here."""
        command = module_command(here.environment)
        if not command:
            return
        if not here.environment.get("MODULEPATH"):
            here.remark(f"{command} is here and MODULEPATH is empty: no module can be listed")
            return
        everything = _list_modules(here, command, "-t", "avail")
        defaults = {name for _, name in _list_modules(here, command, "-t", "-d", "avail")}
        loaded = here.environment.get("LOADEDMODULES", "").split(":")
        for folder, full in everything:
            name, _, version = full.rpartition("/")
            name, version = (name, version) if name else (version, "")
            yield Item(
                kind=self.name,
                name=name,
                version=version,
                detail={"folder": folder, **({"loaded": "yes"} if full in loaded else {})},
                default_for={name: "module avail"} if version and full in defaults else {},
            )


def _list_modules(here: Host, command: str, *words: str) -> list[tuple[str, str]]:
    """Return the folder and the full name of each module."""
    said = here.ask(command, "bash", *words, errors=True, patience_s=_PATIENCE_S)
    folder, found = "", []
    for line in (each.strip() for each in said.splitlines()):
        if line.startswith("/") and line.endswith(":"):
            folder = line[:-1]
        # Commands for the shell may follow on standard output; a name is one word.
        elif folder and line and not line.endswith(("/", ";")) and " " not in line:
            found.append((folder, line.split("(")[0]))
    return list(dict.fromkeys(found))


KIND = Modules()
