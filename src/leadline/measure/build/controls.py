"""What a library lists of itself: the probe's `--controls`, run alone, without a launcher."""

import os
import subprocess
from collections.abc import Callable, Mapping

from leadline.core.errors import UserError
from leadline.measure.build.probe import probe_for
from leadline.measure.knobs.listing import clean_environment, listed
from leadline.model.installation import Installation
from leadline.model.software import Setting

_PATIENCE_S = 60


def controls(installation: Installation, say: Callable[[str], None]) -> list[Setting]:
    """Return the MPI_T variables of `installation` in this environment; a simulator has none.

    The probe is built first where it has to be, of which `say` is told. Raises `UserError` where
    it cannot be built or does not answer.
    """
    if installation.simulates:
        return []
    path = str(probe_for(installation, "mpi", say).path)
    environment = {**os.environ, **installation.environment}
    clean = {**clean_environment(os.environ), **installation.environment}
    before = [_ask_library(path, clean) for _ in range(2)]
    return listed(_ask_library(path, environment), before, installation, dict(os.environ))


def _ask_library(path: str, environment: Mapping[str, str]) -> bytes:
    try:
        return subprocess.run(
            [path, "--controls"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"the probe {path} does not list its controls: {error}") from None
