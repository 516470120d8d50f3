"""Whether leadline's runtime is under the program."""

import os
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.knobs.environment import adding
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job


class Runtime:
    """The library is preloaded, as `leadline exec` does, with the installation's profile.

    LEADLINE_PROFILE in the environment names another profile, as does a value that is a file.
    `off` also turns off a runtime that is under everything here, as by a module file.

    >>> from leadline.model.placement import Placement
    >>> some = Installation(name="m-1", family="m", version="1", prefix="", source="", mpicc="c",
    ...     mpiexec="m")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2))
    >>> KNOB.apply("off", job, some).environment
    {'LEADLINE': 'off'}
    >>> on = KNOB.apply("on", job, some).environment
    >>> on["LD_PRELOAD"].partition(":")[0].endswith("/runtime/m-1/libleadline.so")
    True
    """

    name = "runtime"
    summary = "leadline's runtime under the program, with the profile of `leadline tune`"
    values = "on, off, or the file of a profile"

    def canonical(self, text: str) -> str:
        """Return `on`, `off`, or the whole path of a profile that is there."""
        if text in ("on", "off"):
            return text
        if not Path(text).is_file():
            raise UserError(f"{text} is no file: take on, off, or the file of a profile")
        return str(Path(text).absolute())

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with what is preloaded, in front of what else is."""
        if value == "off":
            return adding(job, {"LEADLINE": "off"})
        if "mpi" not in installation.apis:
            raise Unsupported("there is no runtime for it")
        library = str(paths.runtime(installation.name) / paths.PRELOADED)
        others = job.environment.get("LD_PRELOAD", os.environ.get("LD_PRELOAD", ""))
        usual = paths.profiles() / f"{installation.name}.toml"
        profile = os.environ.get("LEADLINE_PROFILE", str(usual)) if value == "on" else value
        variables = {
            "LEADLINE": "on",
            "LD_PRELOAD": ":".join(filter(None, [library, others])),
            "LEADLINE_PATIENCE": "1",  # what is measured is the runtime, not the calls before it
            "LEADLINE_PROFILE": profile,
        }
        return msgspec.structs.replace(adding(job, variables), runtime=True)


KNOB = Runtime()
