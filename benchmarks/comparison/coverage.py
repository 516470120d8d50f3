"""How often do the 95 % intervals that leadline prints hold the truth?"""

from __future__ import annotations

import zlib

import click
import numpy as np

from comparison.coverage_simulated import NAMES, Case, cases

LOW, HIGH = 0.93, 0.97

# An interval that is given in a smaller part of the trials is withheld, but for chance.
SELDOM = 0.02


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--trials", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--only", default="", help="Only intervals whose name has this in it.")
def command(trials: int, only: str) -> None:
    """Draw data whose truth is known, and count the intervals that hold it."""
    width = 36
    print(f"{'':{width}}" + "".join(f"{name:>13}" for name in NAMES))
    outside = total = 0
    for case in cases():
        if only not in case.name:
            continue
        found = [covered(case, name, trials) for name in NAMES]
        print(f"{case.name:{width}}" + "".join(f"{_text(one):>13}" for one in found), flush=True)
        known = [one for one, given in found if one is not None and given >= SELDOM]
        total += len(known)
        outside += sum(not LOW <= one <= HIGH for one in known)
    error = 100 * (0.95 * 0.05 / trials) ** 0.5
    print(
        f"\nPercent of {trials} intervals that hold the truth; - where there is none, "
        f"or in fewer than {100 * SELDOM:.0f} % of the trials. {total - outside} of {total} lie "
        f"within {100 * LOW:.0f} to {100 * HIGH:.0f} %, the others are marked. A cell errs by "
        f"{error:.1f} (one standard error). In brackets: in how many percent of the trials "
        "there was an interval, where not in all."
    )


def covered(case: Case, name: str, trials: int) -> tuple[float | None, float]:
    """Return the part of the intervals that hold the truth, and the part of trials with one."""
    random = np.random.default_rng(zlib.crc32(f"{case.name} {name}".encode()))
    found = [case.trial(name, random) for _ in range(trials)]
    given = [one for one in found if one is not None]
    return (float(np.mean(given)) if given else None), len(given) / trials


def _text(found: tuple[float | None, float]) -> str:
    part, given = found
    if part is None:
        return "-  "
    if given < SELDOM:
        return f"-  ({100 * given:.1f}) "
    mark = " " if LOW <= part <= HIGH else "*"
    seldom = f" ({100 * given:.0f})" if given < 1 else ""
    return f"{100 * part:.1f}{mark}{seldom} "
