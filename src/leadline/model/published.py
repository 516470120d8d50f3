"""What the figures of a run are held against: published claims, and the calls of a program."""

from typing import Annotated, Literal

import msgspec

from leadline.model.description import Value


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was published for one place of a sweep: `at` are choices added to those of the claim.

    They stand for `against` too where it does not choose there itself. `low` and `high` are the
    ends of what was published, alike where it was one number.
    """

    at: dict[str, Value]
    low: float
    high: float


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One published result, and from which figures of a run the same is computed.

    `of` and `against` choose figures by `benchmark`, `series`, `bytes`, `processes`, `nodes`,
    `mpi`, and by the names of axes, settings and knobs. `quantity` is

    - `saving`: 1 - time of `of` / time of `against`
    - `slowdown`: time of `of` / time of `against`
    - `bandwidth_MBps`: of the figure, in 10^6 bytes/s
    - `seconds`: its time
    - `maximum_over_average`: its MAX/AVG over tasks

    `why` explains, where it is known, what keeps the figures from what was published.
    """

    text: str
    source: str
    quantity: Literal["saving", "slowdown", "bandwidth_MBps", "seconds", "maximum_over_average"]
    of: dict[str, Value]
    against: dict[str, Value] = {}
    rows: tuple[Row, ...]
    why: str = ""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a claim held against a run: `found` in the claim's unit.

    `deviation` is how far `found` lies outside what was published, in the same unit: 0 within it,
    negative below. `points` are the indices of the figures that `found` is computed from. `found`
    and `deviation` are None where the run has no such figures, or several.
    """

    claim: int
    text: str
    source: str
    quantity: str
    at: dict[str, Value]
    low: float
    high: float
    found: float | None
    deviation: float | None
    points: tuple[int, ...] = ()
    why: str = ""


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
