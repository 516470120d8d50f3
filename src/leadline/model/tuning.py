"""What a tuning found: the shape of what `leadline tune --json` prints."""

import msgspec

TUNING_FORMAT = 1

# Why a choice is not kept whose launches differ so much that they tell nothing: to be tried again.
DISTURBED = "disturbed"


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
    its 95 % interval that of this size alone; `p_value` is adjusted for the share of false ones
    among all sizes of the shape. A choice is kept where there is no `reason` against it. Of a
    collective whose ranks know no common size, one choice holds for all sizes, and is kept where it
    is faster at each of them.
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

    `undecided` where neither a candidate was faster for sure nor the library's own as fast as any.
    """

    collective: str
    nodes: int
    processes: int
    bytes: int
    undecided: bool = False


class RacedSetting(msgspec.Struct, frozen=True, kw_only=True):
    """One value of one setting against the library's own, over all that was measured.

    `gain` is the library's time over that with the value, with its 95 % interval, and NaN where it
    could not be measured. `outcome` is `faster`, `slower`, `cannot tell`, `does not run`,
    `breaks programs`, or `slower at` with the benchmark and size at which it loses for sure.
    `broken` is what of the plan `conformance` fails with it, as far as that was tried.
    """

    setting: str
    value: str
    about: str
    gain: float
    gain_low: float
    gain_high: float
    outcome: str
    broken: str = ""


class TunedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the library can be told of messages: what was raced, what won, and what that is worth.

    `chosen` are the settings that won the race, as `setting=value`, and `variables` what they come
    down to. They are proved together: `gain` is that over all sizes, with its 95 % interval and
    the probability of such a gain by chance (NaN where nothing was proved); the `verdicts` are
    those of each benchmark and size, the benchmark in the place of a collective. They are kept
    where some are chosen and there is no `reason` against them.
    """

    benchmarks: tuple[str, ...]
    raced: tuple[RacedSetting, ...]
    chosen: tuple[str, ...]
    variables: dict[str, str]
    gain: float
    gain_low: float
    gain_high: float
    p_value: float
    reason: str
    verdicts: tuple[Verdict, ...]

    @property
    def kept(self) -> bool:
        """Whether programs are to be started with them."""
        return bool(self.chosen) and not self.reason


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """A tuning: verdicts on all choices that were proved, and what was written.

    `kind` is `profile` for leadline's algorithms, `library` for the library's own, or `settings`
    where only those were tuned. `undecided` counts the sizes at which the budget ended before the
    race did, `library_best` those at which the library's own choice is as fast as any for sure;
    `left` names those at which nothing was chosen. `settings` are there where they were raced.
    `files` were written, and `use` starts a program with them: empty where that needs no command.
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
    settings: TunedSettings | None = None
