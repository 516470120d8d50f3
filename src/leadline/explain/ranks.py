"""Ranks as people write them."""

from __future__ import annotations

from collections.abc import Sequence


def rank_words(ranks: Sequence[int]) -> str:
    """Return ranks at the beginning of a sentence.

    >>> rank_words([3]), rank_words([0, 1, 2, 5])
    ('Rank 3', 'Ranks 0-2,5')
    """
    from leadline.site.hardware.files import format_cpus

    if len(ranks) == 1:
        return f"Rank {ranks[0]}"
    return f"Ranks {format_cpus(sorted(ranks))}"
