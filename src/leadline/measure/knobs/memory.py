"""Knobs of memory: how the C library copies, and in which pages it allocates."""

from collections.abc import Iterable, Mapping

from leadline.core.errors import UserError
from leadline.core.units import parse_bytes
from leadline.measure.knobs.knob import Knob, Unsupported, tuning
from leadline.measure.knobs.values import one_of, size_text
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.site.hardware.software import Tunable, tunables

_NEVER = "never"
_VECTOR = "vector"
# In the order in which memcpy meets them.
_TUNABLES = {
    "rep_movsb": "glibc.cpu.x86_rep_movsb_threshold",
    "non_temporal": "glibc.cpu.x86_non_temporal_threshold",
}
# Larger than any copy, and in the range of every version.
_BEYOND = 1 << 48


def _thresholds(text: str) -> str:
    parts = dict.fromkeys(_TUNABLES, _NEVER) if text == _VECTOR else dict(_parts(text))
    if all(parts.get(way) == _NEVER for way in _TUNABLES):
        return _VECTOR
    return "+".join(f"{way}:{parts[way]}" for way in _TUNABLES if way in parts)


def _parts(text: str) -> Iterable[tuple[str, str]]:
    for part in text.split("+"):
        way, _, size = part.partition(":")
        if way not in _TUNABLES or not size:
            raise UserError(
                f"take {_VECTOR}, or {' or '.join(f'{each}:SIZE' for each in _TUNABLES)}, "
                f"both with +; SIZE is a size such as 64K, or {_NEVER}"
            )
        yield way, _NEVER if size == _NEVER else size_text(size)


def with_tunables(value: str, job: Job, listed: Mapping[str, Tunable]) -> Job:
    """Return `job` with the thresholds `value`, where a C library that lists `listed` has them.

    glibc copies with vectors, from one size on with rep movsb, from another past the caches. MPI
    libraries copy messages within a node with memcpy, so the sizes move them too. The variable is
    read by every program with glibc 2.33 or newer on x86-64.
    """
    text = f"rep_movsb:{_NEVER}+non_temporal:{_NEVER}" if value == _VECTOR else value
    settings = []
    for way, size in _parts(text):
        name = _TUNABLES[way]
        if name not in listed:
            raise Unsupported(
                f"the C library here lists no {name}: it takes glibc 2.33 or newer on x86-64"
            )
        number = _BEYOND if size == _NEVER else parse_bytes(size)
        low, high = listed[name].low, listed[name].high
        if not low <= number <= high:
            limit = f"{low} bytes or more" if number < low else f"{high} bytes or less"
            raise Unsupported(f"{way} takes {limit} from the C library here")
        settings.append(f"{name}={number}")
    return tuning(job, *settings)


def copy_thresholds(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the thresholds; this machine's C library is taken for that of all."""
    return with_tunables(value, job, tunables())


def _huge_pages(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with large memory in huge pages.

    Fewer, larger pages spare address translation, and time where pages are first touched. The C
    library's allocator advises the kernel (glibc 2.35 or newer; transparent huge pages must be
    `madvise` or `always`, see `leadline check`).
    """
    return tuning(job, f"glibc.malloc.hugetlb={int(value == 'on')}")


KNOBS = (
    Knob(
        "copy_thresholds",
        "sizes from which memcpy uses rep movsb, and stores past the caches",
        "vector (neither at any size), or rep_movsb:SIZE, non_temporal:SIZE or both with +; "
        "SIZE may be never",
        _thresholds,
        copy_thresholds,
    ),
    Knob(
        "huge_pages",
        "huge pages for the program's large memory, through the C library's allocator",
        "on or off",
        one_of("on", "off"),
        _huge_pages,
    ),
)
