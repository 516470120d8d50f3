"""Programs of an MPI that preload a library: one command changed, or all by a module file."""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from leadline.measure.knobs.knob import major
from leadline.model.installation import Installation
from leadline.model.job import Start

# How users name a library of their own: `-x LD_PRELOAD=A`, `--export=ALL,LD_PRELOAD=A`,
# `env LD_PRELOAD=A`, and Hydra's `-genv LD_PRELOAD A`.
_OWN = re.compile(r"^((?:--export=(?:.*,)?)?LD_PRELOAD=)")
_HYDRA_OPTIONS = ("-env", "-genv", "--env", "--genv")
_EXPORT = "--export="
_LIST = "mca_base_env_list"
_STARTERS = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "oshrun", "shmemrun")


def owner(program: str, installations: Sequence[Installation]) -> Installation | None:
    """Return the installation that the launcher at the path `program` is of, if only one can be.

    It is the same file as the installation's own launcher by another name, or lies beside it.
    """
    launchers = {
        each.name: [Path(path) for path in (each.mpiexec, each.oshrun) if path]
        for each in installations
    }
    there = Path(program).resolve()
    folders = {Path(program).absolute().parent, there.parent}
    same = [each for each in installations if there in map(Path.resolve, launchers[each.name])]
    beside = [
        each
        for each in installations
        if Path(program).name in _STARTERS
        and folders & {launcher.parent for launcher in launchers[each.name]}
    ]
    candidates = same or beside
    return candidates[0] if len(candidates) == 1 else None


def launcher_of(word: str, installation: Installation) -> str | None:
    """Return the installation's launcher that a word means; None unless each MPI has that name."""
    return {
        "mpiexec": installation.mpiexec,
        "mpirun": installation.mpiexec,
        "oshrun": installation.oshrun,
    }.get(word)


def preloading(
    command: Sequence[str],
    installation: Installation,
    library: Path,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    behind: Sequence[Path] = (),
) -> Start:
    """Return `command` so that its ranks preload `library` and have the `settings`, on all hosts.

    `behind` are libraries to preload after it. `environment` is the user's own: libraries that the
    user preloads, there or in the command, come after these. Launchers hand on what they inherit,
    but for Open MPI's, whose remote daemons must be told the names, and for Slurm's where the user
    has listed what to hand on. A pure function.

    >>> there = Installation(name="m", family="mpich", version="5", prefix="/m", source="")
    >>> words = ["mpiexec", "-n", "2", "./a"]
    >>> preloading(words, there, Path("/l.so"), {}, {"LD_PRELOAD": "/u.so"}).environment
    {'LD_PRELOAD': '/l.so:/u.so'}
    """
    libraries = ":".join(map(str, (library, *behind)))
    preloaded = ":".join(filter(None, [libraries, environment.get("LD_PRELOAD", "")]))
    added = {**settings, "LD_PRELOAD": preloaded}
    names = sorted(
        {*added, *(each for each in environment if re.match(r"LEADLINE(_|$)", each))}
        - {"LEADLINE_HOME", "LEADLINE_LAB", "LEADLINE_TAG"}
    )
    if exported := environment.get("SLURM_EXPORT_ENV"):
        added["SLURM_EXPORT_ENV"] = _extend_export_list(exported, names)
    words = [_OWN.sub(rf"\g<1>{libraries}:", word) for word in command]
    for at, (option, variable) in enumerate(itertools.pairwise(words[:-1])):
        if option in _HYDRA_OPTIONS and variable == "LD_PRELOAD":
            words[at + 2] = f"{libraries}:{words[at + 2]}"
    for at, word in enumerate(words):
        if word.startswith(_EXPORT):
            words[at] = _EXPORT + _extend_export_list(word.removeprefix(_EXPORT), names)
    start = Start(argv=tuple(words), environment=added)
    if installation.family != "openmpi":
        return start
    return _export_by_openmpi(start, installation, names, environment)


def _extend_export_list(exported: str, names: Sequence[str]) -> str:
    """Return the names that Slurm hands on, with `names` where it would leave them out."""
    former = [each for each in exported.split(",") if each not in ("NONE", "NIL", "")]
    known = {each.partition("=")[0] for each in former}
    if "ALL" in former:
        return exported
    return ",".join([*former, *(each for each in names if each not in known)])


def _export_by_openmpi(
    start: Start, installation: Installation, names: Sequence[str], environment: Mapping[str, str]
) -> Start:
    """Return the start so that Open MPI hands on `names` to other hosts.

    A list of names in a variable serves every version and any command, but the list of a command
    line hides it, and version 4 refuses it beside `-x`, which then names the variables of each
    part of the command.
    """
    argv = list(start.argv)
    # What the command says is not seen by its ranks: they are told that all hosts are.
    variables = {**start.environment, "LEADLINE": environment.get("LEADLINE", "on")}
    everything = sorted({*names, "LEADLINE"})
    if _LIST in argv[:-1]:
        argv[argv.index(_LIST) + 1] += ";" + ";".join(everything)
    elif "-x" in argv and major(installation) <= 4:
        pairs = itertools.pairwise(argv)
        known = {word.partition("=")[0] for before, word in pairs if before == "-x"}
        options = [word for name in everything if name not in known for word in ("-x", name)]
        for at in reversed([0, *(at for at, word in enumerate(argv) if word == ":")]):
            argv[at + 1 : at + 1] = options
    else:
        variable = f"OMPI_MCA_{_LIST}"
        listed = ";".join(filter(None, [environment.get(variable, ""), *names]))
        variables = {**start.environment, variable: listed}
    return Start(argv=tuple(argv), environment=variables)


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
    listed = (*settings, "LD_PRELOAD") if family == "openmpi" and major >= 5 else ()
    return (
        Change("LD_PRELOAD", library, ":"),
        *(Change(name, value) for name, value in settings.items()),
        *(Change(f"OMPI_MCA_{_LIST}", name, ";") for name in listed),
    )


# How module files set a variable, and put a value in front of a list.
_MODULE_WORDS = {
    "lua": (
        'setenv("{0.variable}", "{0.value}")',
        'prepend_path("{0.variable}", "{0.value}", "{0.separator}")',
    ),
    "tcl": (
        "setenv {0.variable} {{{0.value}}}",
        "prepend-path -d {{{0.separator}}} {0.variable} {{{0.value}}}",
    ),
}
LANGUAGES = tuple(sorted(_MODULE_WORDS, reverse=True))


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
    summary = f"leadline's runtime for {installation}"
    if language == "lua":
        lines = [
            "help([[" + "\n".join(about) + "]])",
            f'whatis("{summary}")',
            'conflict("leadline")',
        ]
    else:
        lines = [
            "#%Module1.0",
            "proc ModulesHelp { } {",
            *(f"    puts stderr {{{line}}}" for line in about),
            "}",
            f"module-whatis {{{summary}}}",
            "conflict leadline",
        ]
    words = _MODULE_WORDS[language]
    lines += [words[bool(change.separator)].format(change) for change in made]
    return "\n".join(lines) + "\n"
