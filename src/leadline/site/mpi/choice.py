"""Which of the installations a user means."""

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from leadline.core import paths
from leadline.core.errors import UserError, say_once
from leadline.core.names import nearest
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations

_INSTALL = "`leadline mpi install mpich` brings one without root"


def choose(names: Sequence[str], simulated: bool | None = False) -> list[Installation]:
    """Return the installations that `names` mean, each once, in that order.

    A name is one that `leadline mpi` lists, the beginning of some of them (`openmpi-4`, `intel`),
    or `all`; case is ignored. Of several with that beginning the default is meant, or else the
    newest, and standard error says which. No name at all means the default. `simulated` asks for
    an installation that runs programs on a simulated machine, None for any; otherwise none of
    these is meant.

    Raises `UserError` for a name that means none.
    """
    if simulated:
        return _simulating(names)
    if not names:
        return [default_installation()]
    there = find_installations()
    chosen = [each for name in names for each in _match_name(name, there)]
    for each in chosen:
        if each.simulates and simulated is False:
            raise UserError(
                f"{each.name} simulates machines: "
                "`leadline simulate BENCHMARK --on PLATFORM` uses it, and `--mpi` names a real MPI"
            )
    return list({each.name: each for each in chosen}.values())


def choose_one(name: str | None, simulated: bool | None = False) -> Installation:
    """Return the one installation that `name` means, or the default. Raises `UserError`.

    `simulated` is as in `choose`.
    """
    chosen = choose([name] if name else [], simulated)
    if len(chosen) > 1:
        raise UserError(f"{name!r} is {len(chosen)} MPIs: name one of {_format_names(chosen)}")
    return chosen[0]


def default_installation() -> Installation:
    """Return the installation used where none is named.

    The one set with `leadline mpi default`, else the one in leadline's own environment, else
    the first found. Raises `UserError` where there is none, or the one set is gone.
    """
    there = find_installations()
    real = _real(there)
    if not real:
        raise UserError(f"this machine has no MPI that leadline can find: {_INSTALL}")
    if name := _read_default():
        for each in real:
            if each.name == name:
                return each
        raise UserError(
            f"the default MPI {name!r} is not there any more: choose another with "
            f"`leadline mpi default NAME` ({_format_names(real)})"
        )
    prefix = Path(sys.prefix)
    return next((each for each in real if Path(each.prefix) == prefix), real[0])


def set_default(name: str) -> Installation:
    """Make the installation that `name` means the default, and return it.

    Raises `UserError` for a name that does not mean exactly one.
    """
    meant = _beginning_with(name, find_installations())
    if len(meant) > 1:
        raise UserError(f"{name!r} is ambiguous: name one of {_format_names(meant)}")
    if not _real(meant):
        raise UserError(f"the default cannot be {name!r}: name an MPI that `leadline mpi` lists")
    file = _default_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(meant[0].name + "\n")
    except OSError as error:
        raise UserError(f"the default cannot be kept in {file}: {error.strerror}") from None
    return meant[0]


def _simulating(names: Sequence[str]) -> list[Installation]:
    there = [each for each in find_installations() if each.simulates and each.apis]
    if not there:
        raise UserError(
            "this machine has no SimGrid that leadline can find: install libsimgrid-dev "
            "(Debian/Ubuntu), or put its smpicc, smpicxx and smpirun on the PATH"
        )
    if not names:
        return there[:1]
    for name in names:
        if not any(each.name.startswith(name) for each in there):
            raise UserError(
                f"MPI {name!r} runs on real machines, and a platform is simulated: leave out "
                f"`--mpi`, or name {_format_names(there)}"
            )
    return [each for each in there if any(each.name.startswith(name) for name in names)]


def _match_name(name: str, there: list[Installation]) -> list[Installation]:
    if name == "all":
        if real := _real(there):
            return real
        raise UserError(f"this machine has no MPI that leadline can find: {_INSTALL}")
    found = _beginning_with(name, there)
    if len(found) == 1:
        return found
    newest = max(found, key=lambda each: _version_key(each.version))
    chosen = next((each for each in found if each.name == _default_name()), newest)
    others = _format_names(each for each in found if each != chosen)
    say_once(f"--mpi {name} takes {chosen.name}, not {others}")
    return [chosen]


def _default_name() -> str:
    with suppress(UserError):
        return default_installation().name
    return ""


def _beginning_with(name: str, there: Sequence[Installation]) -> list[Installation]:
    word = name.lower()
    if exact := [each for each in there if each.name == word]:
        return exact
    if found := [each for each in _real(there) if word and each.name.startswith(word)]:
        return found
    real = _real(there)
    near = nearest(word, [each.family for each in real] + [each.name for each in real])
    hint = f"did you mean {near}?" if near else f"there is {_format_names(real)}"
    raise UserError(
        f"no MPI {name!r}: {hint} (`leadline mpi install mpich|openmpi|intel` adds one)"
    )


def _version_key(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _real(there: Sequence[Installation]) -> list[Installation]:
    return [each for each in there if each.family != "fake" and not each.simulates]


def _format_names(installations: Iterable[Installation]) -> str:
    return ", ".join(each.name for each in installations) or "this machine has none"


def _default_file() -> Path:
    return paths.installations() / "default"


def _read_default() -> str:
    try:
        return _default_file().read_text().strip()
    except OSError:
        return ""
