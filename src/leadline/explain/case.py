"""All that is known of a program's time, as advice is given on it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cached_property

import msgspec

from leadline.explain.bounds import Bounds
from leadline.explain.lateness import Lateness
from leadline.explain.owners import RankTime, total
from leadline.explain.recording import Recording, Row

# Of the wall time: less is not worth an advice.
WORTH = 0.02


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do: what it is about, and the command that does or shows it.

    `saves_s` is what it is expected to save of the wall time, with the ends of its interval; each
    is None where no measurement bears it. `stake_s` are the seconds of an average rank that it is
    about: advice is ordered by it.
    """

    kind: str = ""
    text: str
    command: str
    saves_s: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    stake_s: float = 0.0


class Case(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A program's time, and what else an advice needs.

    `run` is where the recording is kept, `mpi` the name of the installation (each empty where it is
    not known), `command` the words that started the program. `cores` are those of the one host that
    all ranks ran on, 0 where this is not known. `tunable` are the collectives for which leadline
    has algorithms.
    """

    recording: Recording
    ranks: tuple[RankTime, ...]
    bounds: Bounds
    late: Lateness
    run: str = ""
    mpi: str = ""
    command: tuple[str, ...] = ()
    cores: int = 0
    tunable: frozenset[str] = frozenset()
    matrix: str = ""

    @property
    def shares_cores(self) -> bool:
        """Whether more ranks ran than there are cores."""
        return 0 < self.cores < self.recording.ranks_total

    @property
    def lacks_cores(self) -> bool:
        """Whether ranks that share cores have to wait for them, as far as that is known."""
        return self.shares_cores and (self.queued_s is None or self.is_worth(self.queued_s))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all ranks."""
        return tuple(self.recording.rows)

    @cached_property
    def seconds(self) -> float:
        """The wall time of an average rank."""
        return total(self.ranks).seconds / len(self.ranks)

    @cached_property
    def waiting_s(self) -> float:
        """What an average rank waited."""
        return self.per_rank(sum(rank.waiting_s for rank in self.ranks))

    @cached_property
    def queued_s(self) -> float | None:
        """How long an average rank was ready to run and had no processor; None: not known."""
        known = [rank.queued_s for rank in self.recording.ranks if rank.queued_s is not None]
        return sum(known) / len(known) if known else None

    def per_rank(self, seconds: float) -> float:
        """Return the seconds of an average rank, of those of all ranks."""
        return seconds / len(self.ranks)

    def is_worth(self, seconds: float) -> bool:
        """Tell whether seconds of an average rank are worth an advice."""
        return self.seconds > 0 and seconds >= WORTH * self.seconds

    def leadline(self, *words: str, program: bool = False) -> str:
        """Return a command line of leadline, followed by the user's command if `program`."""
        program_command = ["--", *self.command] if program and self.command else []
        return shlex.join(["leadline", *words, *program_command])

    def show_sites(self) -> str:
        """Return the command that shows the places in the program."""
        return self.leadline("explain", "--full", self.run) if self.run else ""


def rank_words(ranks: Sequence[int]) -> str:
    """Return ranks at the beginning of a sentence.

    >>> rank_words([3]), rank_words([0, 1, 2, 5])
    ('Rank 3', 'Ranks 0-2,5')
    """
    from leadline.site.hardware.files import format_cpus

    return f"Rank {ranks[0]}" if len(ranks) == 1 else f"Ranks {format_cpus(sorted(ranks))}"


def percent_of(part: float, whole: float) -> str:
    """Return a part of a whole as a percentage with two significant digits.

    >>> percent_of(0.14, 1), percent_of(1, 0), percent_of(1.38, 1), percent_of(0.00123, 1)
    ('14 %', '0 %', '140 %', '0.12 %')
    """
    percent = 100 * part / whole if whole else 0.0
    return f"{float(f'{percent:.2g}'):g} %"


def about_s(seconds: float) -> str:
    """Return a time for a sentence, with two significant digits.

    >>> about_s(0.0123), about_s(141.3), about_s(2e-5), about_s(0)
    ('12 ms', '140 s', '20 us', '0 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if abs(seconds) * scale >= 0.995:
            return f"{float(f'{seconds * scale:.2g}'):g} {unit}"
    return "0 s"
