"""How often do the 95 % intervals that leadline prints hold the truth?"""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from simulated import NAMES, Case, cases

LOW, HIGH = 0.93, 0.97

# An interval that is given in a smaller part of the trials is withheld, but for chance.
SELDOM = 0.02


def main() -> int:
    """Print the table; exit status 0."""
    parser = argparse.ArgumentParser(prog="benchmarks/coverage", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000, help="trials a cell (1000)")
    parser.add_argument("--only", default="", help="only intervals whose name has this in it")
    parser.add_argument(
        "--of", type=Path, metavar="RUN", help="launches of this run folder instead"
    )
    parser.add_argument("--launches", default="3,5,10", help="with --of: how many (3,5,10)")
    options = parser.parse_args()
    if options.trials < 1:
        parser.error(f"--trials {options.trials}: at least 1")
    if options.of:
        return _print_measured(options.of, options.launches, options.trials)
    width = 36
    print(f"{'':{width}}" + "".join(f"{name:>13}" for name in NAMES))
    outside = total = 0
    for case in cases():
        if options.only not in case.name:
            continue
        found = [covered(case, name, options.trials) for name in NAMES]
        print(f"{case.name:{width}}" + "".join(f"{_text(one):>13}" for one in found), flush=True)
        known = [one for one, given in found if one is not None and given >= SELDOM]
        total += len(known)
        outside += sum(not LOW <= one <= HIGH for one in known)
    error = 100 * (0.95 * 0.05 / options.trials) ** 0.5
    print(
        f"\nPercent of {options.trials} intervals that hold the truth; - where there is none, "
        f"or in fewer than {100 * SELDOM:.0f} % of the trials. {total - outside} of {total} lie "
        f"within {100 * LOW:.0f} to {100 * HIGH:.0f} %, the others are marked. A cell errs by "
        f"{error:.1f} (one standard error). In brackets: in how many percent of the trials "
        "there was an interval, where not in all."
    )
    return 0


def _print_measured(run: Path, launches: str, trials: int) -> int:
    from comparison.one_set import covered as covered_by
    from comparison.one_set import stored

    figures = stored(run)
    print(f"{len(figures)} figures of {len(figures[0].launch_medians_s)} launches, {trials} trials")
    for count in map(int, launches.split(",")):
        found = covered_by(figures, count, trials)
        told = ", ".join(f"{name} {100 * part:.1f} %" for name, part in found.items())
        print(f"{count:>3} launches: {told}")
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
