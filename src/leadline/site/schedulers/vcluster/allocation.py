"""The hosts of the virtual cluster that `leadline virtual-cluster up` makes on this machine."""

from collections.abc import Sequence

from leadline.model.hosts import Hosts
from leadline.site.schedulers.allocation import parse_words


class Lab:
    """Those of its hosts that are up; all share this machine's cores."""

    name = "lab"
    several = True

    def find(self, which: str = "") -> Hosts:
        """Return the hosts. Raises `UserError` where no cluster is up, or none of its hosts."""
        from leadline.site.vcluster import control

        return control.hosts(which)


ALLOCATION = Lab()


def find_cluster(words: Sequence[str]) -> str | None:
    """Return the name of the virtual cluster that `--hosts` asks for; None where it is none."""
    known, which, _ = parse_words(ALLOCATION, words)
    return which if known else None
