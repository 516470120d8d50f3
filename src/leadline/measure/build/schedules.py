"""What lists the messages of algorithms and replays them: built once, and without any MPI."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build.cache import SCHEDULES, BuildSpec, answer, build_once

_NAME = "leadline-schedules"


class Algorithm(msgspec.Struct, frozen=True, kw_only=True):
    """An algorithm of a collective and the publication that describes it."""

    name: str
    summary: str
    reference: str


class Collective(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark of a collective and its algorithms whose messages can be listed.

    Its sizes are multiples of `unit_bytes`; with 0 it has none.
    """

    benchmark: str
    unit_bytes: int
    algorithms: tuple[Algorithm, ...]


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What the program says of itself: collectives, and patterns of the halo exchange `halo`."""

    halo: str
    collectives: tuple[Collective, ...]
    patterns: tuple[str, ...]


class Schedules(msgspec.Struct, frozen=True, kw_only=True):
    """The program, and what it can list."""

    path: Path
    listing: Listing


def schedules_for(say: Callable[[str], None], source: Path | None = None) -> Schedules:
    """Return the program, built now from `source` where it has to be. Raises `UserError`."""
    spec = BuildSpec(
        what="the lists of messages",
        folder=paths.home() / "schedules",
        source=source or source_folder(),
        parts=SCHEDULES,
        made_for="any",
        definitions=("-DCMAKE_BUILD_TYPE=Release", "-DLEADLINE_SCHEDULES=ON"),
        files=(_NAME,),
    )
    path = spec.folder / _NAME
    return build_once(
        spec, lambda: described(path) if path.is_file() else None, lambda: described(path), say
    )


def described(path: Path) -> Schedules:
    """Return the program at `path` with what it says of itself. Raises `UserError`."""
    complaint = f"{path} does not describe itself: remove it and try again"
    try:
        text = answer([str(path), "--describe"], complaint)
        return Schedules(path=path, listing=msgspec.json.decode(text, type=Listing))
    except msgspec.DecodeError as error:
        raise UserError(f"{complaint}: {error}") from None
