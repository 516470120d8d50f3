"""Records of software: written by `leadline mpi software --save`, or part of a run."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.software import SOFTWARE_FORMAT, Item, Software, Variable
from leadline.site.software.compiler import kinds as known_compilers
from leadline.site.software.kinds import COMPILER, MPI, SYSTEM
from leadline.site.software.kinds.platform import items

_VARIABLES = "variable"
_MOST_BYTES = 64 << 20


class _Format(msgspec.Struct):
    format: int


def read(path: Path) -> Software:
    """Return what `leadline mpi software --save` wrote. Raises `UserError`."""
    advice = "name a file that `leadline mpi software --save FILE` wrote, or a run"
    try:
        if not path.is_file():
            raise UserError(f"{path} is no file: {advice}")
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(f"{path} is too large to be software of a machine: {advice}")
        data = path.read_bytes()
        version = msgspec.json.decode(data, type=_Format).format
        if version != SOFTWARE_FORMAT:
            raise UserError(
                f"{path} has format {version}, and this leadline reads format {SOFTWARE_FORMAT}: "
                "save it again with the same leadline"
            )
        return msgspec.json.decode(data, type=Software)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}: {advice}") from None
    except msgspec.MsgspecError as error:
        raise UserError(f"{path} is not software of a machine ({error}): {advice}") from None


def of_run(run: Run) -> Software:
    """Return what a run recorded of its machine and of the MPIs that it used.

    Raises `UserError` for a run that recorded nothing, as an import.
    """
    if not run.machine and not run.installations:
        raise UserError(f"run {run.run} recorded no software: name another, or a saved file")
    return Software(
        leadline=run.leadline,
        host=str(run.machine.get("host") or ""),
        time=run.started,
        partial=True,
        whole=(_VARIABLES,),
        kinds=(SYSTEM, COMPILER, MPI, *([_VARIABLES] * (run.variables is not None))),
        items=(
            *items(run.machine),
            *_compilers(run),
            *_installations(run),
            *_variables(run.variables or ()),
        ),
    )


def _compilers(run: Run) -> Iterator[Item]:
    """Yield the compilers by the first line of what each said of its version."""
    recorded = run.machine.get("compilers")
    lines = recorded if isinstance(recorded, dict) else {}
    seen = set()
    for program, line in lines.items():
        for kind in known_compilers().values():
            match = re.search(kind.version, str(line), re.MULTILINE)
            names = {name for each in kind.programs.values() for name in each}
            if match and program in names and (kind.name, match[1]) not in seen:
                seen.add((kind.name, match[1]))
                yield Item(kind=COMPILER, name=kind.name, version=match[1])


def _installations(run: Run) -> Iterator[Item]:
    for each in run.installations:
        if each.family != "fake":
            yield Item(kind=MPI, name=each.family, version=each.version, path=each.prefix)


def _variables(variables: Iterable[Variable]) -> Iterator[Item]:
    for each in variables:
        yield Item(
            kind=_VARIABLES,
            name=each.name,
            version=f"`{each.value}`",
            detail={"set by": each.source},
        )
