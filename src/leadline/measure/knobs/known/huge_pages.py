"""Whether large memory is asked for in huge pages."""

from leadline.measure.knobs.environment import tuning
from leadline.measure.knobs.values import one_of
from leadline.model.installation import Installation
from leadline.model.job import Job


class HugePages:
    """Fewer, larger pages spare address translation, and time where pages are first touched.

    The C library's allocator advises the kernel (glibc 2.35 or newer; transparent huge pages must
    be `madvise` or `always`, see `leadline doctor`). `off` is what it does where nothing is said.

    >>> from leadline.model.placement import Placement
    >>> some = Installation(name="s", family="mpi", version="4", prefix="", source="")
    >>> KNOB.apply("on", Job(program=("./probe",), placement=Placement(1, 2)), some).environment
    {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    """

    name = "huge_pages"
    summary = "huge pages for the program's large memory, through the C library's allocator"
    values = "on or off"

    def canonical(self, text: str) -> str:
        """Return `on` or `off`."""
        return one_of(text, "on", "off")

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the allocator's setting beside those that it has."""
        return tuning(job, f"glibc.malloc.hugetlb={int(value == 'on')}")


KNOB = HugePages()
