"""The hosts of the virtual cluster that `leadline lab up` makes on this machine."""

from leadline.model.hosts import Hosts


class Lab:
    """Those of its hosts that are up; all share this machine's cores."""

    name = "lab"

    def find(self) -> Hosts:
        """Return the hosts. Raises `UserError` where no cluster is up, or none of its hosts."""
        from leadline.site.vcluster import control

        return control.hosts()


ALLOCATION = Lab()
