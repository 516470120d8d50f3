"""leadline as a user runs it, its answer read as any program would read it."""

import sys
from pathlib import Path

import msgspec

from comparison.cases import Contender
from comparison.tool import Reading
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.job import Start
from leadline.model.run import Run


class _Point(msgspec.Struct):
    bytes: int
    median_s: float
    verified: bool


class _Finding(msgspec.Struct):
    kind: str


class _Answer(msgspec.Struct):
    folder: str
    points: list[_Point]
    findings: list[_Finding]


class Leadline:
    """`leadline run` on two ranks of `installation`; run folders go to `runs`."""

    def __init__(self, installation: Installation, runs: Path) -> None:
        self._mpi = installation.name
        self._runs = runs

    def start(self, contender: Contender, sizes: tuple[int, ...]) -> Start:
        """Return what to execute."""
        return Start(
            argv=(
                sys.executable,
                "-m",
                "leadline",
                "run",
                *contender.arguments,
                *(("--bytes", ",".join(map(str, sizes))) if sizes else ()),
                "--place",
                "1x2",
                "--mpi",
                self._mpi,
                "--runs",
                str(self._runs),
                "--json",
            )
        )

    def read(self, output: str, contender: Contender, sizes: tuple[int, ...]) -> Reading:
        """Return leadline's figures, and what its run folder says of its ranks."""
        try:
            answer = msgspec.json.decode(output, type=_Answer)
        except msgspec.DecodeError as error:
            raise UserError(f"leadline's answer is not understood: {error}") from None
        run = msgspec.json.decode((Path(answer.folder) / "run.json").read_bytes(), type=Run)
        return reading_of(answer.points, [each.kind for each in answer.findings], run, sizes)


def reading_of(
    points: list[_Point], findings: list[str], run: Run, sizes: tuple[int, ...]
) -> Reading:
    """Return the figures of `points`.

    Raises `UserError` unless there is one of each size, all of them with the right data.
    """
    seconds = {point.bytes: point.median_s for point in points if point.verified}
    if len(seconds) != len(points) or set(sizes) - set(seconds):
        raise UserError(
            f"leadline's {run.run} has no single verified figure for each size: "
            "keep its folder with --runs DIR and see `leadline show`"
        )
    return Reading(
        seconds=seconds,
        findings=tuple(findings),
        processors=tuple(rank.cpu for launch in run.launches[:1] for rank in launch.ranks),
    )
