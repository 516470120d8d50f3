"""Module files: the variables with which Environment Modules or Lmod change a user's shell."""

from collections.abc import Mapping
from typing import NamedTuple

from leadline.measure.launch.preload import ENVIRONMENT_LIST

# The languages by what a file's name ends with: Lmod reads both, Environment Modules Tcl alone.
LANGUAGES = {"": "tcl", ".lua": "lua"}


class Change(NamedTuple):
    """A variable that is set, or a list that a value is put in front of, or behind if `last`."""

    variable: str
    value: str
    separator: str = ""
    last: bool = False


class ModuleFile(NamedTuple):
    """What a module is for, modules that it cannot be loaded with, and what it changes."""

    summary: str
    about: tuple[str, ...]
    conflicts: tuple[str, ...]
    changes: tuple[Change, ...]


def preloaded(
    library: str, settings: Mapping[str, str], family: str, major: int, *, last: bool = False
) -> tuple[Change, ...]:
    """Return what preloads `library`, with `settings`, under an MPI of `family`.

    What replaces calls comes `last`: what looks at them is to see those of the program. Open MPI's
    daemons on other hosts hand on what they are told; version 4 cannot be told here, as it would
    then refuse every `mpirun -x`.
    """
    listed = (*settings, "LD_PRELOAD") if family == "openmpi" and major >= 5 else ()
    return (
        Change("LD_PRELOAD", library, ":", last),
        *(Change(name, value) for name, value in settings.items()),
        *(Change(f"OMPI_MCA_{ENVIRONMENT_LIST}", name, ";") for name in listed),
    )


# How module files set a variable, and put a value in front of a list or behind it.
_WORDS = {
    "lua": (
        'setenv("{0.variable}", "{0.value}")',
        'prepend_path("{0.variable}", "{0.value}", "{0.separator}")',
        'append_path("{0.variable}", "{0.value}", "{0.separator}")',
    ),
    "tcl": (
        "setenv {0.variable} {{{0.value}}}",
        "prepend-path -d {{{0.separator}}} {0.variable} {{{0.value}}}",
        "append-path -d {{{0.separator}}} {0.variable} {{{0.value}}}",
    ),
}


def module_text(language: str, module: ModuleFile) -> str:
    """Return the module file for Environment Modules (`tcl`) or Lmod (`lua`).

    >>> print(module_text("lua", ModuleFile("s", ("about",), ("c",), (Change("A", "b"),))), end="")
    help([[about]])
    whatis("s")
    conflict("c")
    setenv("A", "b")
    """
    if language == "lua":
        lines = [
            "help([[" + "\n".join(module.about) + "]])",
            f'whatis("{module.summary}")',
            *(f'conflict("{name}")' for name in module.conflicts),
        ]
    else:
        lines = [
            "#%Module1.0",
            "proc ModulesHelp { } {",
            *(f"    puts stderr {{{line}}}" for line in module.about),
            "}",
            f"module-whatis {{{module.summary}}}",
            *(f"conflict {name}" for name in module.conflicts),
        ]
    words = _WORDS[language]
    lines += [words[bool(each.separator) + each.last].format(each) for each in module.changes]
    return "\n".join(lines) + "\n"
