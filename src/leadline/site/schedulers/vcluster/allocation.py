"""The hosts of the virtual cluster that `leadline virtual-cluster up` makes on this machine."""

from collections.abc import Sequence

from leadline.model.hosts import Hosts
from leadline.site.schedulers.allocation import Allocation, parse_words


def _find(which: str) -> Hosts:
    """Return those of its hosts that are up; all share this machine's cores."""
    from leadline.site.vcluster import control

    return control.hosts(which)


ALLOCATION = Allocation("lab", _find, several=True)


def find_cluster(words: Sequence[str]) -> str | None:
    """Return the name of the virtual cluster that `--hosts` asks for; None where it is none."""
    known, which, _ = parse_words(ALLOCATION, words)
    return which if known else None
