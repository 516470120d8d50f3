"""What all else stands on: the operating system, environment modules, batch systems."""

import re
from collections.abc import Iterator

from leadline.model.software import Item
from leadline.site.hardware import software
from leadline.site.hardware.files import Files
from leadline.site.mpi.sources import module_command
from leadline.site.schedulers.batch_system import batch_systems
from leadline.site.software.host import Host
from leadline.site.software.kinds import BATCH, MODULE, SYSTEM

_FACTS = {
    "operating_system": "operating system",
    "kernel": "kernel",
    "architecture": "architecture",
    "c_library": "C library",
}


def find_system(here: Host) -> Iterator[Item]:
    """Yield one item for each of the facts that runs record too."""
    yield from items(software.system(Files(here.root)))


def items(facts: dict[str, object]) -> Iterator[Item]:
    """Yield the items of what `leadline.site.hardware` reports, as it stands in `run.json` too."""
    for fact, name in _FACTS.items():
        if facts.get(fact):
            yield Item(kind=SYSTEM, name=name, version=str(facts[fact]))


_PATIENCE_S = 20.0


def find_modules(here: Host) -> Iterator[Item]:
    """Yield the modules that `module avail` lists here.

    Lmod's and the Tcl ones print on stderr, in the same words if they are asked to be terse.
    """
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
            kind=MODULE,
            name=name,
            version=version,
            detail={"folder": folder, **({"loaded": "yes"} if full in loaded else {})},
            default_for={name: "module avail"} if version and full in defaults else {},
        )


def _list_modules(here: Host, command: str, *words: str) -> list[tuple[str, str]]:
    output = here.ask(command, "bash", *words, errors=True, patience_s=_PATIENCE_S)
    folder, found = "", []
    for line in (each.strip() for each in output.splitlines()):
        if line.startswith("/") and line.endswith(":"):
            folder = line[:-1]
        # Commands for the shell may follow on standard output; a name is one word.
        elif folder and line and not line.endswith(("/", ";")) and " " not in line:
            found.append((folder, line.split("(")[0]))
    return list(dict.fromkeys(found))


def find_batch(here: Host) -> Iterator[Item]:
    """Yield each batch system that leadline can submit to and whose program answers."""
    for system in batch_systems():
        commands = [(here.which(program), words) for program, *words in system.version_commands]
        there = [(path, words) for path, words in commands if path]
        for path, words in there:
            version = re.search(r"\d+(?:\.\d+)+", here.ask(str(path), *words))
            if version:
                yield Item(kind=BATCH, name=system.name, version=version[0], path=str(path))
                break
        else:
            if there:
                here.remark(
                    f"{there[0][0]} does not say its version: is {system.name} set up here?"
                )
