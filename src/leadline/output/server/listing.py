"""The list of runs as it was asked for: those that hold the words, the newest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from leadline.output.server.catalogue import SIMULATED, Listed

# More runs are on no page: words find the others.
MOST = 200


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The newest of the runs that were wanted: `found` of `all`.

    `trials` counts those of tunings, whether they are listed or not.
    """

    runs: tuple[Listed, ...]
    found: int
    all: int
    trials: int


def select(runs: Sequence[Listed], arguments: Mapping[str, str], most: int = MOST) -> Selection:
    """Return the runs whose line has all `words` of the arguments of an address.

    Runs that tuning made to try its choices are listed where the arguments have `trials`.
    """
    words = arguments.get("words", "").lower().split()
    found = [
        run
        for run in runs
        if (arguments.get("trials") or not is_trial(run))
        and all(word in _line(run) for word in words)
    ]
    found.sort(key=lambda run: (run.started or "", run.run), reverse=True)
    return Selection(
        runs=tuple(found[:most]),
        found=len(found),
        all=len(runs),
        trials=sum(map(is_trial, runs)),
    )


# A tuning calls the plans of its trials by what it makes and the time of day.
_TRIAL = re.compile(r"(tune .+ |profile|library)\d{6}")


def is_measured(run: Listed) -> bool:
    """Tell whether leadline measured the run on a real machine."""
    return not run.program and not run.host.endswith(SIMULATED)


def is_trial(run: Listed) -> bool:
    """Tell whether a tuning made the run to try its choices."""
    return _TRIAL.fullmatch(run.name) is not None


def _line(run: Listed) -> str:
    texts = (run.run, run.name, *run.benchmarks, *run.mpi, *run.placements, run.host, run.program,
             *run.versions.values(), run.started or "", run.state, run.message)  # fmt: skip
    return " ".join(texts).lower()
