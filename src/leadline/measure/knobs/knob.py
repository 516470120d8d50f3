"""What a knob is, and what it is made of: variables and controls of an MPI family."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

# A value of every knob: what the library does by itself.
DEFAULT = "default"

_MCA = "OMPI_MCA_"
# Variables of MPICH that set the control variable of the same name.
_CVAR = "MPIR_CVAR_"
# The control variables that variables of Intel MPI set.
_INTEL = {
    "I_MPI_THREAD_YIELD": "MPIR_CVAR_IMPI_THREAD_YIELD",
    "I_MPI_SHM_CELL_FWD_SIZE": "MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE",
}


class Documented(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What documents say of a variable or hint; `default` is None where they do not tell."""

    description: str
    values: str = ""
    default: str | None = None


class Unsupported(UserError):
    """The installation has nothing that a value of a knob could be translated to."""


class Knob(NamedTuple):
    """A choice of a launch that means the same with every MPI.

    `values` says in a few words what may be chosen beside `default`. `canonical` returns the one
    spelling of a value, or raises `UserError`. `apply` is a pure function that returns the job with
    a canonical value; it raises `Unsupported` where the installation has nothing of the kind.
    `choices` lists values that differ between installations. `changes` tells by their axes which
    points a knob changes; the others are measured once, with its first value.
    """

    name: str
    summary: str
    values: str
    canonical: Callable[[str], str]
    apply: Callable[[str, Job, Installation], Job]
    choices: Callable[[Installation], Iterable[str]] | None = None
    changes: Callable[[Mapping[str, Value]], bool] | None = None


def by_variables(
    translate: Callable[[str, Installation], Mapping[str, str]],
) -> Callable[[str, Job, Installation], Job]:
    """Return the `apply` of a knob that sets only the variables that `translate` returns."""

    def apply(value: str, job: Job, installation: Installation) -> Job:
        variables = translate(value, installation)
        controls = {_INTEL[name]: text for name, text in variables.items() if name in _INTEL}
        return adding(job, variables, controls)

    return apply


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

    They stand behind the job's or leadline's own: of two for the same thing the last one counts.
    """
    name = "GLIBC_TUNABLES"
    others = job.environment.get(name, os.environ.get(name, ""))
    return adding(job, {name: ":".join(filter(None, [others, *settings]))})


def simulating(job: Job, installation: Installation, *options: str) -> Job:
    """Return the job with these options of the simulator.

    Raises `Unsupported` where the installation simulates nothing.
    """
    if not installation.simulates:
        raise Unsupported("it is for simulated machines, and this MPI runs on real ones")
    if job.simulation is None:
        return job
    machine = msgspec.structs.replace(job.simulation, options=(*job.simulation.options, *options))
    return msgspec.structs.replace(job, simulation=machine)


def networks(installation: Installation) -> tuple[str, ...]:
    """Return the network libraries that the installation was built with, such as `ucx`."""
    return tuple(installation.built.get("network", "").split())


def carried_by_ucx(installation: Installation) -> bool:
    """Tell whether UCX carries messages inside a node too, as in an MPICH with no other device."""
    return installation.built.get("device") == "ch4:ucx"


def major(installation: Installation) -> int:
    """Return the first number of the version, or 0 where it has none."""
    first = installation.version.partition(".")[0]
    return int(first) if first.isdigit() else 0
