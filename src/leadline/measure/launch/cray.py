"""Cray MPICH numbers its ranks anew by itself, whatever started them."""

import msgspec

from leadline.model.job import Job
from leadline.topology.rank_order.formats.mpich import FORMAT
from leadline.topology.rank_order.reorder_file import DEFAULT_FILE


def reordered(job: Job) -> tuple[Job, dict[str, str]]:
    r"""Return the job with its order left to the library, and the files that it needs.

    What starts it fills one node after the other.

    >>> from leadline.model.placement import Placement
    >>> job = Job(program=("./probe",), placement=Placement(2, 2), folder="/f",
    ...     ranks_by_node=((0, 2), (1, 3)))
    >>> left, files = reordered(job)
    >>> left.environment
    {'MPICH_RANK_REORDER_METHOD': '3', 'MPICH_RANK_REORDER_FILE': '/f/MPICH_RANK_ORDER'}
    >>> left.ranks_by_node, files
    ((), {'MPICH_RANK_ORDER': '0,2\n1,3\n'})
    """
    variables = {
        "MPICH_RANK_REORDER_METHOD": "3",
        "MPICH_RANK_REORDER_FILE": f"{job.folder}/{DEFAULT_FILE}",
    }
    left = msgspec.structs.replace(
        job, ranks_by_node=(), environment={**job.environment, **variables}
    )
    return left, {DEFAULT_FILE: FORMAT.text(job.ranks_by_node, job.hosts)}
