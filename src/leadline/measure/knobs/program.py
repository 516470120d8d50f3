"""Knobs of what is around the program: order of ranks, variables, runtime and disturbance."""

import os
import shlex
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Knob, Unsupported, adding
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.topology.rank_order.order import NAMED, canonical, order_for, smp


def _congestor(text: str) -> str:
    if not text.isidentifier():
        raise UserError("write the name of a congestor, such as alltoall")
    return text


def _disturbed(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the congestor of a second job, which leadline starts before."""
    if job.api == "fake" or installation.family == "fake":
        raise Unsupported("its ranks are threads of one process")
    if job.simulation:
        raise Unsupported("a simulation holds one job: use --victims and --neighbour")
    return msgspec.structs.replace(job, neighbour=value)


def _ordered(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the order of ranks, which each launcher makes true by its own means."""
    if installation.family == "fake":
        raise Unsupported("its ranks are threads")
    if job.placement.nodes == 1:
        return job
    order = order_for(value, job.placement)
    return msgspec.structs.replace(job, ranks_by_node=() if order == smp(job.placement) else order)


def _runtime(text: str) -> str:
    if text in ("on", "off"):
        return text
    if not Path(text).is_file():
        raise UserError(f"{text} is no file: take on, off, or the file of a profile")
    return str(Path(text).absolute())


def _preloaded(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with leadline's runtime and the installation's profile, as `exec` has them.

    LEADLINE_PROFILE in the environment names another profile, as does a value that is a file.
    `off` also turns off a runtime that is under everything here, as by a module file.
    """
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


def _file(text: str) -> str:
    path = Path(text).absolute()
    read_variables(path)
    return str(path)


def _with_variables(value: str, job: Job, installation: Installation) -> Job:
    if installation.family == "fake":
        raise Unsupported("its ranks are threads")
    return adding(job, read_variables(Path(value)))


def read_variables(path: Path) -> dict[str, str]:
    """Return the variables in a file. Raises `UserError` that names the file and the line.

    Its quotes and comments are those of a shell, but nothing is expanded or executed.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"{path} cannot be read ({reason}): write lines NAME=VALUE") from error
    variables: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from error
        for word in words[1:] if words[:1] == ["export"] else words:
            name, equals, value = word.partition("=")
            if not (equals and name.isidentifier()):
                raise UserError(f"{path}, line {number}: {word!r} is not NAME=VALUE")
            variables[name] = value
    return variables


KNOBS = (
    Knob(
        "beside",
        "a second job that disturbs the first",
        "a congestor such as alltoall (`leadline congest` names them), with --background-hosts",
        _congestor,
        _disturbed,
    ),
    Knob(
        "order",
        "which rank runs on which node",
        f"{', '.join(NAMED)} (or 0, 1, 2), or a file such as `leadline rank-order` writes",
        canonical,
        _ordered,
    ),
    Knob(
        "runtime",
        "leadline's runtime under the program, with the profile of `leadline tune`",
        "on, off, or the file of a profile",
        _runtime,
        _preloaded,
    ),
    Knob(
        "variables",
        "environment variables from a file",
        "a file of lines NAME=VALUE, as a shell reads them; `export` may stand before",
        _file,
        _with_variables,
    ),
)
