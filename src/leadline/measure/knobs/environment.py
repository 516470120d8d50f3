"""Knobs that are nothing but environment variables, different ones for each MPI family."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job

_MCA = "OMPI_MCA_"
# Variables of MPICH that set the control variable of the same name.
_CVAR = "MPIR_CVAR_"


def adding(
    job: Job, variables: Mapping[str, str], controls: Mapping[str, str] | None = None
) -> Job:
    """Return `job` with more variables, and the MPI_T control variables that they set.

    Variables that say by their name which control variable they set need no entry in `controls`.
    """
    named = {
        name.removeprefix(_MCA): value
        for name, value in variables.items()
        if name.startswith((_MCA, _CVAR))
    }
    return msgspec.structs.replace(
        job,
        environment={**job.environment, **variables},
        controls={**job.controls, **named, **(controls or {})},
    )


def tuning(job: Job, *settings: str) -> Job:
    """Return `job` with more settings of the C library, such as `glibc.malloc.hugetlb=1`.

    They stand behind those that it has, or that leadline's own environment has: of two for the same
    thing the last one counts.
    """
    name = "GLIBC_TUNABLES"
    others = job.environment.get(name, os.environ.get(name, ""))
    return adding(job, {name: ":".join(filter(None, [others, *settings]))})


def chosen(
    by_family: Mapping[str, Mapping[str, str]], installation: Installation
) -> dict[str, str]:
    """Return the variables of the family. Raises `Unsupported` where there are none."""
    if installation.family not in by_family:
        raise Unsupported(
            f"leadline knows no variable for it in {installation.family}; it does in "
            f"{', '.join(sorted(by_family))}"
        )
    return dict(by_family[installation.family])


def networks(installation: Installation) -> tuple[str, ...]:
    """Return the network libraries that the installation was built with, such as `ucx`."""
    return tuple(installation.built.get("network", "").split())


def carried_by_ucx(installation: Installation) -> bool:
    """Tell whether UCX carries messages inside a node too.

    So it does in an MPICH whose only device is UCX; one that also knows libfabric has shared
    memory of its own.
    """
    return installation.built.get("device") == "ch4:ucx"


def major(installation: Installation) -> int:
    """Return the first number of the version, or 0 where it has none."""
    first = installation.version.partition(".")[0]
    return int(first) if first.isdigit() else 0
