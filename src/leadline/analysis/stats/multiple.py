"""Corrections for many comparisons: of a hundred true nothings five are significant at 5 %."""

from collections.abc import Sequence

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: those below a level are all true with that confidence.

    Holds under any dependence (Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
    Scandinavian Journal of Statistics 6, 1979). In the order given, each at least its own and at
    most 1.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return tuple(adjusted.tolist())


def false_discoveries(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: of those below a level, at most that share is expected to be false.

    Holds where figures are independent or move together (Benjamini & Hochberg, "Controlling the
    False Discovery Rate", Journal of the Royal Statistical Society B 57, 1995; Benjamini &
    Yekutieli, Annals of Statistics 29, 2001). In the order given, each at least its own.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")[::-1]
    stepped = values[order] * len(values) / np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum.accumulate(stepped)
    return tuple(adjusted.tolist())


def simultaneous_confidence(count: int, confidence: float = CONFIDENCE) -> float:
    """Return the confidence of each of `count` >= 1 intervals that all hold with `confidence`.

    Bonferroni's, which holds under any dependence (Dunn, "Multiple Comparisons Among Means",
    Journal of the American Statistical Association 56, 1961).
    """
    return 1 - (1 - confidence) / count
