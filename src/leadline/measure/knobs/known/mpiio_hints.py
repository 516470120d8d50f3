"""Hints that MPI-IO gets from the environment, for every file that the program opens."""

from __future__ import annotations

import msgspec

from leadline.measure.knobs.environment import adding
from leadline.measure.knobs.hints import EVERY_FILE, OMPIO, Rule, cray_text, parse_pairs, romio_text
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job

_FILE = "romio-hints.txt"


class MpiIoHints:
    """ROMIO (MPICH, Intel MPI) reads a file that a variable names; Open MPI's OMPIO has variables.

    A program's own hints are beside these; `MPI_File_get_info` tells what holds.

    >>> from leadline.model.placement import Placement
    >>> ompi = Installation(name="o", family="openmpi", version="5.0", prefix="", source="")
    >>> KNOB.apply("cb_nodes=2", Job(program=("./p",), placement=Placement(1, 2)), ompi).environment
    {'OMPI_MCA_io_ompio_num_aggregators': '2'}
    """

    name = "mpiio_hints"
    summary = "hints for MPI-IO from outside the program"
    values = "KEY=VALUE, such as romio_cb_write=enable; more with +"

    def canonical(self, text: str) -> str:
        """Return the pairs as they stand."""
        hints = parse_pairs(text.split("+"))
        return "+".join(f"{key}={value}" for key, value in hints.items())

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the family's variables, and with the file that one of them names."""
        hints = parse_pairs(value.split("+"))
        if installation.family == "openmpi":
            if unknown := [key for key in hints if key not in OMPIO]:
                raise Unsupported(
                    f"OMPIO can be told {' and '.join(OMPIO)}, not {', '.join(unknown)}"
                )
            return adding(job, {OMPIO[key]: text for key, text in hints.items()})
        if installation.family == "cray-mpich":
            return adding(job, {"MPICH_MPIIO_HINTS": cray_text([Rule(EVERY_FILE, hints)])})
        if installation.family not in ("mpich", "mvapich", "intel"):
            raise Unsupported("leadline does not know its MPI-IO")
        named = adding(job, {"ROMIO_HINTS": f"{job.folder}/{_FILE}"})
        return msgspec.structs.replace(named, files={**job.files, _FILE: romio_text(hints)})


KNOB = MpiIoHints()
