"""The sizes at which a choice is faster, slower, the same or unclear, as one text."""

from collections.abc import Mapping

from leadline.analysis.findings.words import sizes_text
from leadline.model.profile import LIBRARY

# The order of the text; "same" is too small to matter, and LIBRARY a proof without gain.
_ORDER = ("faster", "slower", "same", "cannot tell", LIBRARY)
_WORDS = {
    "same": "the same",
    "cannot tell": "unclear",
    LIBRARY: "the library stays",
}


def verdicts_text(verdicts: Mapping[int, str]) -> str:
    """Return which sizes in bytes have which verdict, so that no gain stands without its losses.

    >>> verdicts_text({8: "faster", 64: "faster", 512: "cannot tell", 4096: "slower"})
    'faster at 8 B to 64 B; slower at 4 KiB; unclear at 512 B'
    """
    sizes = sorted(verdicts)
    found = {each: [size for size in sizes if verdicts[size] == each] for each in _ORDER}
    return "; ".join(
        f"{_WORDS.get(verdict, verdict)} at {sizes_text(sizes, own)}"
        for verdict, own in found.items()
        if own
    )
