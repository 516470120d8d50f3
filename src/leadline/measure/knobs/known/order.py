"""The order of ranks: which rank runs on which node."""

import msgspec

from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.topology.rank_order.order import NAMED, smp
from leadline.topology.rank_order.reorder_file import canonical, order_for


class RankOrder:
    """Each launcher makes the order true by its own means.

    Consecutive ranks on one node after the other are what every job has by itself.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(4, 2))
    >>> KNOB.apply("folded", job, mpich).ranks_by_node
    ((0, 7), (1, 6), (2, 5), (3, 4))
    >>> KNOB.apply("smp", job, mpich) == job
    True
    """

    name = "order"
    summary = "which rank runs on which node"
    values = f"{', '.join(NAMED)} (or 0, 1, 2), or a file such as `leadline rank-order` writes"

    def canonical(self, text: str) -> str:
        """Return the name of the order, or the file that holds it."""
        return canonical(text)

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the order, which on one node is always the same."""
        if installation.family == "fake":
            raise Unsupported("its ranks are threads")
        if job.placement.nodes == 1:
            return job
        order = order_for(value, job.placement)
        return msgspec.structs.replace(
            job, ranks_by_node=() if order == smp(job.placement) else order
        )


KNOB = RankOrder()
