"""What a tuning found: the shape of what `leadline tune --json` prints."""

import msgspec

TUNING_FORMAT = 1


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One size of one collective, without the choice and with it: medians of launches in seconds.

    `choice` is what was put in the place of the library's own, `library` where that was left. A
    collective without data has the one size 0.
    """

    collective: str
    nodes: int
    processes: int
    bytes: int
    choice: str
    without_s: tuple[float, ...]
    with_s: tuple[float, ...]
    verified: bool = True


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a trial. `gain` is the time without over that with the choice.

    Times are those of the steady launches of each side (geometric means), the gain is their ratio,
    its 95 % interval that of this size alone; `p_value` is adjusted for all sizes of the shape. A
    choice is kept where there is no `reason` against it. Of a collective whose ranks know no
    common size, one choice holds for all sizes, and is kept or not at all of them.
    """

    trial: Trial
    without_us: float
    with_us: float
    gain: float
    gain_low: float
    gain_high: float
    p_value: float
    reason: str = ""

    @property
    def kept(self) -> bool:
        """Whether the choice is better, with confidence."""
        return not self.reason


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """A size of a collective at which the race left the library's own choice in its place.

    `undecided` where the budget ended before the race did.
    """

    collective: str
    nodes: int
    processes: int
    bytes: int
    undecided: bool = False


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """A tuning: verdicts on all choices that were proved, and what was written.

    `kind` is `profile` for leadline's algorithms or `library` for the library's own. `undecided`
    counts the sizes at which the budget ended before the race did, `library_best` those at which
    the library's own choice won or nothing beat it for sure; `left` names both. `files` were
    written, and `use` starts a program with them: empty where that needs no command.
    """

    format: int = TUNING_FORMAT
    kind: str
    mpi: str
    machine: str
    library: str
    seconds: float
    state: str
    runs: tuple[str, ...]
    undecided: int
    library_best: int
    verdicts: tuple[Verdict, ...]
    files: tuple[str, ...]
    left: tuple[Left, ...] = ()
    use: str = ""
