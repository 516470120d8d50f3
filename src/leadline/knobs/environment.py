"""Knobs that are nothing but environment variables, different ones for each MPI family."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from leadline.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job


def with_variables(
    job: Job, installation: Installation, by_family: Mapping[str, Mapping[str, str]]
) -> Job:
    """Return `job` with the variables of the installation's family. Raises `Unsupported`."""
    if installation.family not in by_family:
        raise Unsupported(
            f"leadline knows no variable for it in {installation.family}; it does in "
            f"{', '.join(sorted(by_family))}"
        )
    variables = by_family[installation.family]
    return msgspec.structs.replace(job, environment={**job.environment, **variables})
