"""A second job beside this one, which disturbs it: one of the congestors, on hosts of its own."""

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job


class Beside:
    """leadline starts the second job before the launch, and ends it after.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5", prefix="", source="")
    >>> KNOB.apply("incast", Job(program=("./probe",), placement=Placement(2, 1)), mpich).background
    'incast'
    """

    name = "beside"
    summary = "a second job that disturbs the first"
    values = "a congestor such as alltoall (`leadline congest` names them), with --background-hosts"

    def canonical(self, text: str) -> str:
        """Return the congestor's name."""
        if not text.isidentifier():
            raise UserError("write the name of a congestor, such as alltoall")
        return text

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the congestor that runs beside it."""
        if job.api == "fake" or installation.family == "fake":
            raise Unsupported("its ranks are threads of one process")
        if job.simulation:
            raise Unsupported("a simulation holds one job: use --victims and --neighbour")
        return msgspec.structs.replace(job, background=value)


KNOB = Beside()
