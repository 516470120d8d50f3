"""A profile: which algorithm the runtime takes for which collective, communicator and size.

And what its library is told before the program starts.
"""

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
    nodes: int | None = None
    processes: int | None = None
    from_bytes: int = 0
    to_bytes: int | None = None
    algorithm: str
    measured: tuple[Measured, ...] = ()


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A variable of the library that programs are started with, unless the user has set it.

    It belongs to the value of a setting that was `raced`, such as `single_copy=off`; `about` says
    in a few words what that is.
    """

    variable: str
    value: str
    raced: str = ""
    about: str = ""


class Effect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all settings of a profile together were worth to one benchmark, size by size.

    A row's second time is that with the settings.
    """

    benchmark: str
    nodes: int
    processes: int
    measured: tuple[Measured, ...] = ()


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A whole profile. Of several rules that fit, the first is taken.

    `settings_gain` is what the settings together were worth over all that was measured: the gain
    and both ends of its 95 % interval; empty without settings.

    `machine` is what leadline_machine() in libleadline.so says, and `library` occurs in what
    MPI_Get_library_version says, with one blank for each stretch of white space.
    """

    format: int
    machine: str
    library: str
    settings_gain: tuple[float, ...] = ()
    rule: tuple[Rule, ...] = ()
    setting: tuple[Setting, ...] = ()
    effect: tuple[Effect, ...] = ()
