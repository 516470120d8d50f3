"""A recorded program in a plan: its calls, for which the plan's figures stand."""

from typing import Annotated

import msgspec

from leadline.model.value import Value


class ProgramCalls(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls of one function and size, of all ranks.

    `of` chooses the figure that has the time of one of them, as that of a published claim does.
    `seconds` is what all of them took in the program, without waiting for late ranks.
    """

    call: str
    calls: int
    seconds: float
    of: dict[str, Value]


class Program(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program that a plan was made of: its name, its ranks, and with which MPI it ran."""

    name: str
    ranks: Annotated[int, msgspec.Meta(ge=1)]
    calls: tuple[ProgramCalls, ...]
    mpi: str = ""


class ReplayedCalls(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of a program, and what they take as measured.

    Seconds are those of an average rank: `recorded_s` in the program, without waiting, and
    `seconds` as many times the figure `point` as it has calls. Both are None where there is no such
    figure, or several.
    """

    call: str
    bytes: int | None
    ranks: int
    nodes: int
    calls: int
    recorded_s: float
    seconds: float | None
    point: int | None


class ReplayedProgram(msgspec.Struct, frozen=True, kw_only=True):
    """What a program's calls take with an MPI and knobs: seconds of an average rank.

    `seconds` is the median over launches of the sum of all calls; None where a call has no figure.
    The 95 % interval is over launches, None where these are too few. `recorded_s` is the same in
    the program, with the MPI `recorded_mpi`, without waiting for late ranks.
    """

    program: str
    ranks: int
    recorded_mpi: str
    recorded_s: float
    mpi: str
    knobs: dict[str, str]
    seconds: float | None
    low_s: float | None
    high_s: float | None
    calls: tuple[ReplayedCalls, ...]
