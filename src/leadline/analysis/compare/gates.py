"""Gates: the conditions by which a comparison fails, such as `slower:5%`."""

from collections.abc import Sequence
from typing import get_args, get_type_hints

from leadline.core.errors import UserError
from leadline.core.units import parse_percent
from leadline.model.comparison import Compared, Comparison, Failure, Gate

KINDS: tuple[str, ...] = get_args(get_type_hints(Gate)["kind"])
_BY_SIZE = ("slower", "faster", "changed")


def parse_gate(text: str) -> Gate:
    """Return the gate that `text` means, such as `slower:5%` or `unverified`.

    >>> parse_gate("slower:5%")
    Gate(kind='slower', beyond=0.05)

    Raises `UserError` for anything else.
    """
    kind, colon, percent = text.partition(":")
    if kind not in KINDS or (colon and kind not in _BY_SIZE):
        raise UserError(
            f"unknown condition {text!r}: write {', '.join(KINDS)}; the first three take a size, "
            "such as slower:5%"
        )
    return Gate(kind=kind, beyond=parse_percent(percent) if colon else 0.0)  # type: ignore[arg-type]


def gate_text(gate: Gate) -> str:
    """Return the gate as `parse_gate` takes it."""
    return f"{gate.kind}:{100 * gate.beyond:.6g}%" if gate.beyond else gate.kind


def failures(comparison: Comparison, gates: Sequence[Gate]) -> tuple[Failure, ...]:
    """Return the gates that hold. A figure that nobody can judge is neither faster nor slower."""
    found = [(gate, _figures(comparison, gate)) for gate in gates]
    return tuple(Failure(gate=gate_text(gate), figures=names) for gate, names in found if names)


def _figures(comparison: Comparison, gate: Gate) -> tuple[str, ...]:
    if gate.kind == "missing":
        return comparison.only_base
    return tuple(each.name for each in comparison.figures if _holds(each, gate))


def _holds(figure: Compared, gate: Gate) -> bool:
    if gate.kind == "unverified":
        return not figure.other.verified
    wanted = ("slower", "faster") if gate.kind == "changed" else (gate.kind,)
    size = max(figure.ratio, 1 / figure.ratio) - 1
    return figure.verdict in wanted and size >= gate.beyond
