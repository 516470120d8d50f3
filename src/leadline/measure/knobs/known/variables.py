"""Environment variables from a file, such as one that tuning writes for a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from leadline.core.errors import UserError
from leadline.measure.knobs.environment import adding
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job


class Variables:
    r"""Any variables, the same with every MPI.

    >>> import tempfile
    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5.0", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(1, 8))
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     print("export A='1 2' # why\nB=3", file=file, flush=True)
    ...     KNOB.apply(file.name, job, mpich).environment
    {'A': '1 2', 'B': '3'}
    """

    name = "variables"
    summary = "environment variables from a file"
    values = "a file of lines NAME=VALUE, as a shell reads them; `export` may stand before"

    def canonical(self, text: str) -> str:
        """Return the file's whole path. Raises `UserError` where it cannot be read."""
        path = Path(text).absolute()
        read(path)
        return str(path)

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the variables that the file holds now."""
        if installation.family == "fake":
            raise Unsupported("its ranks are threads")
        return adding(job, read(Path(value)))


def read(path: Path) -> dict[str, str]:
    """Return the variables in a file. Raises `UserError` that names the file and the line.

    Its quotes and comments are those of a shell, but nothing is expanded or executed.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"{path} cannot be read ({reason}): write lines NAME=VALUE") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from error
        for word in words[1:] if words[:1] == ["export"] else words:
            name, equals, value = word.partition("=")
            if not (equals and name.isidentifier()):
                raise UserError(f"{path}, line {number}: {word!r} is not NAME=VALUE")
            found[name] = value
    return found


KNOB = Variables()
