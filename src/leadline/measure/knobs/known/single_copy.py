"""Whether large messages inside a node are copied once, from process to process."""

from leadline.measure.knobs.environment import adding, carried_by_ucx, major
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.values import one_of
from leadline.model.installation import Installation
from leadline.model.job import Job

_MECHANISMS = "cma,xpmem,knem"


class SingleCopy:
    """CMA, XPMEM or KNEM copy once what shared memory copies twice; containers often forbid them.

    >>> from leadline.model.placement import Placement
    >>> ompi = Installation(name="o", family="openmpi", version="4.1", prefix="", source="")
    >>> KNOB.apply("off", Job(program=("./probe",), placement=Placement(1, 2)), ompi).environment
    {'OMPI_MCA_btl_vader_single_copy_mechanism': 'none'}
    """

    name = "single_copy"
    summary = "copy large messages inside a node once (CMA, XPMEM, KNEM), or through shared memory"
    values = "on or off"

    def canonical(self, text: str) -> str:
        """Return `on` or `off`."""
        return one_of(text, "on", "off")

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with what allows or forbids the mechanisms."""
        on = value == "on"
        if installation.family == "openmpi" and major(installation) >= 5:
            # Open MPI 5 does not start where one that is named is not there.
            return adding(job, {"OMPI_MCA_smsc": "cma" if on else f"^{_MECHANISMS}"})
        if installation.family == "openmpi":
            mechanism = "cma" if on else "none"
            return adding(job, {"OMPI_MCA_btl_vader_single_copy_mechanism": mechanism})
        if carried_by_ucx(installation):
            return adding(job, {"UCX_TLS": "all" if on else f"^{_MECHANISMS}"})
        if installation.family == "mpich" and major(installation) >= 5:
            return adding(
                job,
                {f"MPIR_CVAR_CH4_{each}_ENABLE": str(int(on)) for each in ("CMA", "XPMEM")},
            )
        raise Unsupported("leadline has found no variable that changes it")


KNOB = SingleCopy()
