"""A module file that puts the runtime under all programs of one MPI."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

LANGUAGES = ("tcl", "lua")


class Change(NamedTuple):
    """A variable that is set, or a list that a value is put in front of."""

    variable: str
    value: str
    separator: str = ""


def changes(
    library: str, settings: Mapping[str, str], family: str, major: int
) -> tuple[Change, ...]:
    """Return what preloads `library`, with `settings`, under an MPI of `family`.

    Open MPI's daemons on other hosts hand on what they are told; version 4 cannot be told here, as
    it would then refuse every `mpirun -x`.
    """
    listed = (
        [Change("OMPI_MCA_mca_base_env_list", name, ";") for name in (*settings, "LD_PRELOAD")]
        if family == "openmpi" and major >= 5
        else []
    )
    return (
        Change("LD_PRELOAD", library, ":"),
        *(Change(name, value) for name, value in settings.items()),
        *listed,
    )


def module_file(language: str, installation: str, made: Sequence[Change]) -> str:
    """Return the module file for Environment Modules (`tcl`) or Lmod (`lua`).

    >>> print(module_file("lua", "m-1", [Change("A", "b")]), end="")
    help([[MPI programs of m-1 communicate by the algorithms that leadline measured to be best.
    LEADLINE=off turns it off for one program.]])
    whatis("leadline's runtime for m-1")
    conflict("leadline")
    setenv("A", "b")
    """
    about = (
        f"MPI programs of {installation} communicate by the algorithms that leadline measured to "
        "be best.",
        "LEADLINE=off turns it off for one program.",
    )
    what = f"leadline's runtime for {installation}"
    if language == "lua":
        lines = [
            f"help([[{about[0]}",
            f"{about[1]}]])",
            f'whatis("{what}")',
            'conflict("leadline")',
            *map(_lua, made),
        ]
    else:
        lines = [
            "#%Module1.0",
            "proc ModulesHelp { } {",
            *(f"    puts stderr {{{line}}}" for line in about),
            "}",
            f"module-whatis {{{what}}}",
            "conflict leadline",
            *map(_tcl, made),
        ]
    return "\n".join(lines) + "\n"


def _lua(change: Change) -> str:
    if change.separator:
        return f'prepend_path("{change.variable}", "{change.value}", "{change.separator}")'
    return f'setenv("{change.variable}", "{change.value}")'


def _tcl(change: Change) -> str:
    if change.separator:
        return f"prepend-path -d {{{change.separator}}} {change.variable} {{{change.value}}}"
    return f"setenv {change.variable} {{{change.value}}}"
