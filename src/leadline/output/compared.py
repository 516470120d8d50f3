"""The answer of a comparison in sentences."""

from leadline.analysis.findings.settle import SETTLED_WITHIN
from leadline.core.units import count, percent, times
from leadline.model.comparison import Comparison


def comparison_sentences(comparison: Comparison, base: str, other: str) -> list[str]:
    """Return where `other` is slower and faster than `base`, by how much at most, and the rest.

    Each sentence has one statement; what does not occur has none.
    """
    figures = comparison.figures
    found = []
    for verdict in ("slower", "faster"):
        own = [one for one in figures if one.verdict == verdict]
        if own:
            most = max(own, key=lambda one: one.ratio if verdict == "slower" else 1 / one.ratio)
            ratio = most.ratio if verdict == "slower" else 1 / most.ratio
            found.append(
                f"{other} is {verdict} than {base} in {len(own)} of {count(len(figures), 'figure')}"
                f", at most {times(ratio)}: {most.name}."
            )
    same = sum(one.verdict == "same" for one in figures)
    if same:
        within = percent(comparison.same_within)
        found.append(f"{count(same, 'figure')} {_be(same)} the same within {within}.")
    unclear = [one for one in figures if one.verdict == "cannot tell"]
    if unclear:
        found.append(f"{count(len(unclear), 'figure')} {_be(len(unclear))} undecided.")
        near = [one.launches_needed for one in unclear if one.launches_needed]
        near = [needed for needed in near if needed <= SETTLED_WITHIN]
        if near:
            which = "them" if len(near) == len(unclear) else f"{len(near)} of them"
            found.append(f"Measure {max(near)} launches of each to decide {which}.")
        apart = sum(one.states is not None and one.states.apart for one in unclear)
        if apart:
            found.append(
                f"Of {count(apart, 'figure')} the sides met no state of the machine in common: "
                "measure both again, in turn."
            )
    if not found:
        found.append(f"{other} and {base} have no figure in common.")
    return found


def _be(amount: int) -> str:
    return "is" if amount == 1 else "are"
