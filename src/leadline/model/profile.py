"""A profile: which algorithm the runtime takes for which collective, communicator and size."""

import msgspec

PROFILE_FORMAT = 1

# What a rule calls the library's own choice.
LIBRARY = "library"


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """What one size of a rule was worth; times of one call in microseconds.

    `least_gain` is the lower end of the 95 % interval of library over algorithm.
    """

    bytes: int
    library_us: float
    algorithm_us: float
    least_gain: float


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One algorithm for a range of sizes, both ends included. What is None fits anything."""

    collective: str
    algorithm: str
    nodes: int | None = None
    processes: int | None = None
    from_bytes: int = 0
    to_bytes: int | None = None
    measured: tuple[Measured, ...] = ()


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A whole profile. Of several rules that fit, the first is taken.

    `machine` is what leadline_machine() in libleadline.so says, and `library` occurs in what
    MPI_Get_library_version says, with one blank for each stretch of white space.
    """

    format: int
    machine: str
    library: str
    rule: tuple[Rule, ...] = ()
