"""Whether an MPI is good: how near its headline figures are to the best known."""

from collections.abc import Sequence

from leadline.core.units import times
from leadline.model.verdict import Headline, Standing

# A figure up to this many times slower reaches 80 % of the best known.
_NEAR = 1.25
# An MPI is good with so many figures near, and poor with most of its figures beyond such a gap.
_GOOD_SHARE, _POOR_GAP = 0.75, 2.0
_NOTHING = "this run has nothing to compare its figures with; a survey has."


def standing(headlines: Sequence[Headline]) -> Standing:
    """Return how many figures of the first MPI are near the best known, and the largest gap."""
    compared = [each for each in headlines if each.gap is not None]
    if not compared:
        return Standing(grade="unknown", text=_NOTHING)
    near = sum(_gap(each) <= _NEAR for each in compared)
    far = sum(_gap(each) > _POOR_GAP for each in compared)
    worst = max(compared, key=_gap)
    mpi = compared[0].values[0].mpi
    owner = f" of {mpi}" if mpi else ""
    reach = "reaches" if near == 1 else "reach"
    text = f"{near} of {len(compared)} figures{owner} {reach} 80 % of the best known here."
    if _gap(worst) > _NEAR:
        text += f" Largest gap: {worst.title}, {times(_gap(worst))} slower than {worst.ahead}."
    good = near >= _GOOD_SHARE * len(compared)
    return Standing(
        grade="good" if good else "poor" if far > len(compared) / 2 else "fair",
        text=text,
        mpi=mpi,
        compared=len(compared),
        near=near,
        largest=_gap(worst),
    )


def _gap(headline: Headline) -> float:
    return headline.gap or 0.0
