"""Programs of an MPI that preload a library: the command that starts them, changed."""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.measure.knobs.knob import major
from leadline.model.installation import Installation
from leadline.model.job import Start

# How users name a library of their own: `-x LD_PRELOAD=A`, `--export=ALL,LD_PRELOAD=A`,
# `env LD_PRELOAD=A`, and Hydra's `-genv LD_PRELOAD A`.
_OWN = re.compile(r"^((?:--export=(?:.*,)?)?LD_PRELOAD=)")
_HYDRA_OPTIONS = ("-env", "-genv", "--env", "--genv")
_EXPORT = "--export="
# Names what leadline has added, libraries before variables: what a rank starts is without them
# again. Begins with a sign that the ranks change (`runtime/shared/inheritance.cpp`).
_ADDED = "LEADLINE_ADDED"
# The parameter of Open MPI that names variables to hand on.
ENVIRONMENT_LIST = "mca_base_env_list"
_LIST_VARIABLE = f"OMPI_MCA_{ENVIRONMENT_LIST}"
# What version 5 makes of it for its ranks.
_LIST_OF_PMIX = f"PMIX_MCA_{ENVIRONMENT_LIST}"
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
    {'LD_PRELOAD': '/l.so:/u.so', 'LEADLINE_ADDED': '+/l.so'}
    """
    libraries = ":".join(map(str, (library, *behind)))
    preloaded = ":".join(filter(None, [libraries, environment.get("LD_PRELOAD", "")]))
    added = {**settings, "LD_PRELOAD": preloaded}
    names = sorted(
        {*added, _ADDED, *(each for each in environment if re.match(r"LEADLINE(_|$)", each))}
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
    if installation.family == "openmpi":
        start = _export_by_openmpi(start, installation, names, environment)
    new = start.environment.keys() - environment.keys()
    if _LIST_VARIABLE in new:
        new |= {_LIST_OF_PMIX}
    # One leadline under another has both taken away.
    before = environment.get(_ADDED, "")[1:]
    listed = ",".join(filter(None, [*map(str, (library, *behind)), *sorted(new), before]))
    return msgspec.structs.replace(start, environment={**start.environment, _ADDED: f"+{listed}"})


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
    if ENVIRONMENT_LIST in argv[:-1]:
        argv[argv.index(ENVIRONMENT_LIST) + 1] += ";" + ";".join(everything)
    elif "-x" in argv and major(installation) <= 4:
        pairs = itertools.pairwise(argv)
        known = {word.partition("=")[0] for before, word in pairs if before == "-x"}
        options = [word for name in everything if name not in known for word in ("-x", name)]
        for at in reversed([0, *(at for at, word in enumerate(argv) if word == ":")]):
            argv[at + 1 : at + 1] = options
    else:
        listed = ";".join(filter(None, [environment.get(_LIST_VARIABLE, ""), *names]))
        variables = {**start.environment, _LIST_VARIABLE: listed}
    return Start(argv=tuple(argv), environment=variables)
