"""Two runs side by side in words and tables, which the terminal, the report and the server show."""

from collections.abc import Sequence

from leadline.analysis.findings.open_verdicts import SETTLED_WITHIN
from leadline.core.units import count, format_bytes, format_figure, percent, times
from leadline.model.comparison import Compared, ComparedStates, Comparison, Verdict
from leadline.output.table import Column, Row, Table, number, without_empty_columns, words
from leadline.output.words import interval_text, time_unit, verdicts_text

VERDICTS: tuple[Verdict, ...] = ("slower", "faster", "same", "cannot tell")
CHANGED = ("slower", "faster")
_STYLES = {"slower": "bold red", "faster": "bold green", "same": "", "cannot tell": "yellow"}


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
                f"{count(apart, 'figure')} may differ by the machine alone, which changed: "
                "measure both again, in turn."
            )
    if not found:
        found.append(f"{other} and {base} have no figure in common.")
    return found


def _be(amount: int) -> str:
    return "is" if amount == 1 else "are"


def verdict_counts(comparison: Comparison) -> list[tuple[Verdict, int]]:
    """Return how many figures have each verdict."""
    every = [one.verdict for one in comparison.figures]
    return [(verdict, every.count(verdict)) for verdict in VERDICTS]


def names_left_out(comparison: Comparison) -> list[tuple[str, tuple[str, ...]]]:
    """Return why figures were not compared, with their names."""
    every = (
        (f"only in {comparison.base}", comparison.only_base),
        (f"only in {comparison.other}", comparison.only_other),
        ("a time of zero has no ratio", comparison.without_ratio),
    )
    return [(reason, names) for reason, names in every if names]


def outcome_text(curve: Sequence[Compared]) -> str:
    """Return at which sizes a curve is faster and slower, an empty text where it has no change."""
    sized = {one.base.bytes: one.verdict for one in curve if one.base.bytes is not None}
    changed = any(verdict in CHANGED for verdict in sized.values())
    return verdicts_text(sized) if changed and len(sized) > 1 else ""


def comparison_table(
    figures: Sequence[Compared],
    caption: str = "",
    curves: Sequence[str] = (),
    identifier: str = "",
) -> Table:
    """Return a row for each figure: both times, their ratio, the verdict, and what to know of it.

    With their `curves`, one a figure, the table has these too, and how the interval was made. Rows
    are called after `identifier`.
    """
    unit, factor = time_unit([point for one in figures for point in (one.base, one.other)])
    columns = (
        Column("curve"),
        number("bytes"),
        number(f"base {unit}"),
        number(f"other {unit}"),
        number("ratio"),
        number("95 % interval"),
        Column("verdict", styles=tuple(_STYLES.items())),
        number("p"),
        Column("interval by"),
        words(""),
    )
    rows = (
        Row(
            (
                curve,
                format_bytes(one.base.bytes),
                format_figure(one.base_s, factor),
                format_figure(one.other_s, factor),
                format_figure(one.ratio),
                interval_text(one.low, one.high, none="no interval"),
                one.verdict,
                format_figure(one.p_value) if curves else "",
                one.method if curves and one.low is not None else "",
                _note(one),
            ),
            identifier=f"{identifier}-{position}" if identifier else "",
            classes=one.verdict.replace(" ", "-"),
        )
        for position, (one, curve) in enumerate(
            zip(figures, curves or [""] * len(figures), strict=True)
        )
    )
    return without_empty_columns(Table(caption, columns, tuple(rows)), kept=0)


def _note(figure: Compared) -> str:
    notes = []
    for name, point in (("base", figure.base), ("other", figure.other)):
        if not point.verified:
            notes.append(f"WRONG DATA in {name}")
        if point.misplaced:
            notes.append(f"{name} is misplaced")
    if figure.base.statistic != figure.other.statistic:
        notes.append(f"{figure.other.statistic} against {figure.base.statistic}")
    if figure.launches_needed:
        notes.append(f"{figure.launches_needed} launches of each would tell")
    if figure.states_differ:
        notes.append("the machine itself varies this much")
    if figure.states:
        notes.append(_states_note(figure.states, figure.verdict))
    return "; ".join(notes)


def _states_note(states: ComparedStates, verdict: Verdict) -> str:
    if states.apart:
        differs = f"the machine differed by {times(states.span)}" if states.span else ""
        if verdict != "cannot tell":
            return f"by the launches' own spread: {differs}"
        return f"{differs or 'the machine differed'}: measure both again, in turn"
    both = f"{states.base_launches} and {states.other_launches} launches"
    return f"{both} of one state of the machine"
