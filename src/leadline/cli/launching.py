"""The user's own command and its MPI, for the commands that preload a library into it."""

import mmap
import os
import shlex
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from leadline.cli.options import say
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.knobs.inherited import inherited
from leadline.measure.launch.preload import launcher_of, owner
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose_one
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import is_library_of, with_standard_abi
from leadline.site.software.dependencies import started_mpi
from leadline.tune.learnt import learning
from leadline.tune.profile import machine_name, read_profile
from leadline.tune.settings.stored import exported, has_settings


def started(
    mpi: str | None, words: tuple[str, ...], by: str
) -> tuple[Installation, tuple[str, ...]]:
    """Return the MPI of the command, and the command with the launcher of that MPI.

    The MPI is the one that is named, else the one that the program loads, else the launcher's. A
    launcher's name that each MPI has, such as `mpiexec`, becomes its path where a shell would start
    another MPI's or none. `by` is the command of leadline. Raises `UserError`, also for an MPI
    whose ranks share one process, in which a library cannot tell them apart.
    """
    installation, words = _started(mpi, words, by)
    if installation.simulates:
        raise UserError(
            f"{words[0]}: {installation.name} simulates machines, and its ranks are one process: "
            f"`leadline {by}` takes a real MPI (`leadline mpi` lists them)"
        )
    return installation, words


def _started(
    mpi: str | None, words: tuple[str, ...], by: str
) -> tuple[Installation, tuple[str, ...]]:
    found: Installation | None
    there = find_installations()
    typed = shutil.which(words[0])
    launcher = owner(typed, there) if typed else None
    if mpi:
        called, found = "", choose_one(mpi)
    else:
        called, name = started_mpi(words[1:] if launcher or not typed else words)
        found = next((each for each in there if each.name == name), None)
    own = launcher_of(words[0], found) if found else None
    # A launcher of no known MPI is the site's: it stays.
    if found and own and (typed is None or launcher not in (None, found)):
        if called and launcher:
            say(f"{called} is built with {found.name}: starting it with {own}")
        return found, (own, *words[1:])
    if typed is None:
        raise UserError(f"{words[0]}: command not found: give the command that starts your program")
    if called and found and launcher and launcher != found:
        _compare(called, found, launcher, words, by)
    if found := found or launcher:
        return found, words
    raise UserError(
        f"{words[0]}: unknown MPI: name the program's with --mpi (`leadline mpi` lists them)"
    )


def _compare(
    called: str,
    loaded: Installation,
    launcher: Installation,
    words: tuple[str, ...],
    by: str,
) -> None:
    """Say that program and launcher are of two MPIs. Raises `UserError` where that cannot work."""
    # Only Open MPI's launcher and ranks speak a language of their own.
    if "openmpi" in (loaded.family, launcher.family):
        own = shlex.join([loaded.mpiexec or "mpiexec", *words[1:]])
        raise UserError(
            f"{called} is built with {loaded.name}, {words[0]} starts {launcher.name}: "
            f"`leadline {by} {own}`"
        )
    say(f"{called} is built with {loaded.name}, {words[0]} is of {launcher.name}")


def named_profile(chosen: Path | None, installation: Installation) -> dict[str, str]:
    """Return the variable that names the profile, if there is one and none is named yet."""
    if chosen:
        _check(chosen)
        return {"LEADLINE_PROFILE": str(chosen.absolute())}
    return {} if os.environ.get("LEADLINE_PROFILE") else stored_profile(installation.name)


def stored_profile(name: str) -> dict[str, str]:
    """Return the variable that names the profile of the installation `name`, if it has one."""
    usual = paths.profiles() / f"{name}.toml"
    return {"LEADLINE_PROFILE": str(usual)} if usual.is_file() else {}


def _learning(
    learn: bool | None, installation: Installation, library: Path, profile: Path | None
) -> dict[str, str]:
    """Return the variables by which the program learns; say so where nothing is accelerated."""
    said = os.environ.get("LEADLINE_LEARN")
    if learn and said == "0":
        raise UserError(
            "--learn: forbidden by LEADLINE_LEARN=0: unset LEADLINE_LEARN or take --frozen"
        )
    if said and learn is None:
        learns, settings = said != "0", {}
    elif learn is False or "mpi" not in installation.apis:
        learns, settings = False, {"LEADLINE_LEARN": "0"}
    else:
        learns = True
        settings = learning(installation.name, lambda: machine_name(library), profile)
    if not profile and not learns:
        say(
            f"{installation.name} has no profile, so the library's own algorithms stay: "
            f"`leadline tune --mpi {installation.name}` makes one"
        )
    return settings


def library_settings(
    profile: Path | None, installation: Installation, library: Path
) -> dict[str, str]:
    """Return the variables of the profile's settings, without those that the user has set.

    None where leadline is switched off. Raises `UserError` for a profile with wrong settings.
    """
    if profile is None or os.environ.get("LEADLINE") == "off" or not has_settings(profile):
        return {}
    read = read_profile(profile)
    if not is_library_of(installation, read.library) or read.machine != machine_name(library):
        say(
            f"the settings of {profile} are for {read.library} on {read.machine}: the library's "
            "own stay"
        )
        return {}
    there = inherited([installation], os.environ)
    variables, said = exported(read.setting, there, os.environ.get("HOME", ""))
    for line in said:
        say(line)
    return variables


def _check(profile: Path) -> None:
    try:
        tomllib.loads(profile.read_text())
    except OSError as error:
        raise UserError(
            f"cannot read the profile {profile}: {error.strerror}; `leadline tune` writes one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{profile} is no profile: {error}; `leadline tune` writes one") from None


def accelerating(
    settings: Mapping[str, str], learn: bool | None, installation: Installation, library: Path
) -> dict[str, str]:
    """Return the variables with which a program is accelerated, beside those in `settings`.

    What it may learn, and the settings of the profile that `settings` or the environment name.
    """
    named = settings.get("LEADLINE_PROFILE") or os.environ.get("LEADLINE_PROFILE")
    used = Path(named) if named else None
    learnt = _learning(learn, installation, library, used)
    return learnt | library_settings(used, installation, library)


def programs_with(text: bytes, words: Sequence[str]) -> bool:
    """Tell whether a program among the words of a command has this text in it."""
    for file in filter(None, map(shutil.which, words)):
        with (
            suppress(OSError, ValueError),
            Path(file).open("rb") as opened,
            mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if content.find(text) >= 0:
                return True
    return False


def as_linked(installation: Installation, words: Sequence[str]) -> Installation:
    """Return the installation, of MPI's standard ABI where a program in `words` is linked to it."""
    if not programs_with(b"libmpi_abi.so", words):
        return installation
    return with_standard_abi(installation) or installation
