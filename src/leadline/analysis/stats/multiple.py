"""Many comparisons at once: of a hundred true nothings five are significant at 5 %."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.analysis.stats.statistics import CONFIDENCE


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: those below a level are all true with that confidence.

    Holds under any dependence (Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
    Scandinavian Journal of Statistics 6, 1979). In the order given, each at least its own and at
    most 1.
    """
    import numpy as np

    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return _in_order(order, stepped)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: of those below a level, at most that part is expected to be false.

    For independent or positively dependent tests (Benjamini & Hochberg, "Controlling the False
    Discovery Rate", Journal of the Royal Statistical Society B 57, 1995). In the order given.
    """
    import numpy as np

    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    raised = values[order] * len(values) / np.arange(1, len(values) + 1)
    return _in_order(order, np.minimum.accumulate(raised[::-1])[::-1])


def simultaneous_confidence(count: int, confidence: float = CONFIDENCE) -> float:
    """Return the confidence of each of `count` >= 1 intervals that all hold with `confidence`.

    Bonferroni's, which holds under any dependence (Dunn, "Multiple Comparisons Among Means",
    Journal of the American Statistical Association 56, 1961).
    """
    return 1 - (1 - confidence) / count


def _in_order(order: object, adjusted: object) -> tuple[float, ...]:
    import numpy as np

    found = np.empty(len(np.asarray(adjusted)))
    found[np.asarray(order, dtype=int)] = np.minimum(np.asarray(adjusted), 1.0)
    return tuple(found.tolist())
