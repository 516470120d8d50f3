"""The command `benchmarks/hangs`: does `leadline stuck` say why a program hangs?"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from comparison.checked import installations
from comparison.hang_table import HANGS, Answer, answer
from comparison.hanging import built
from comparison.started import start as start_command
from leadline.core.errors import UserError

_MPIS = "mpich-5,openmpi-4,openmpi-5"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", "labels", default=_MPIS, show_default=True, help="In turn.")
@click.option("--only", default="", help="Hangs with this text in their names.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(labels: str, only: str, json_file: Path | None) -> None:
    """Inject hangs into a program, and ask `leadline stuck` for each.

    An answer is right where the verdict and the missing ranks are, and in time within 3 s. Exit
    status 1 where one is not. Ctrl-C prints what is there so far.
    """
    wanted = [label for label in labels.split(",") if label]
    chosen = [hang for hang in HANGS if only in hang.title]
    if not chosen:
        raise UserError(f"--only {only!r}: no hang has it in its name")
    there = installations(wanted)
    if missing := [label for label in wanted if label not in there]:
        raise UserError(f"no {', '.join(missing)} here: `leadline env` lists the MPIs")
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory(prefix="leadline-hangs-") as name:
        try:
            for label, installation in there.items():
                folder = Path(name) / label
                folder.mkdir()
                program = built(str(installation.mpicc), folder)
                for hang in chosen:
                    answers.append(answer(hang, installation, label, program))
                    print(line_of(answers[-1]), file=sys.stderr)
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in lines(answers):
        click.echo(line)
    if json_file:
        listed = [{**one._asdict(), "in_time": one.in_time} for one in answers]
        json_file.write_text(json.dumps({"format": 1, "hangs": listed}))
    if not all(one.right and one.in_time for one in answers):
        sys.exit(1)


def line_of(one: Answer) -> str:
    """Return what was said of one hang, in a line."""
    how = "" if one.explained else " without leadline"
    right = "right" if one.right else f"WRONG: {one.text}"
    late = "" if one.in_time else " LATE"
    return f"hangs: {one.mpi}, {one.hang}{how}: {one.verdict}, {one.seconds:.1f} s{late}, {right}"


def lines(answers: Sequence[Answer]) -> Iterator[str]:
    """Yield a table of all hangs with each MPI, and the sums."""
    mpis = list(dict.fromkeys(one.mpi for one in answers))
    if not mpis:
        return
    yield f"| hang | {' | '.join(mpis)} |"
    yield f"|{'---|' * (len(mpis) + 1)}"
    for key in dict.fromkeys((one.hang, one.explained) for one in answers):
        found = {one.mpi: one for one in answers if (one.hang, one.explained) == key}
        cells = [_cell(found[mpi]) if mpi in found else "" for mpi in mpis]
        yield f"| {key[0]}{'' if key[1] else ', without leadline'} | {' | '.join(cells)} |"
    for title, sums in (
        ("right", [_sum(answers, mpi, "right") for mpi in mpis]),
        ("within 3 s", [_sum(answers, mpi, "in_time") for mpi in mpis]),
    ):
        yield f"| {title} | {' | '.join(sums)} |"


def _cell(one: Answer) -> str:
    return one.verdict if one.right else f"{one.verdict} (wrong)"


def _sum(answers: Sequence[Answer], mpi: str, what: str) -> str:
    own = [one for one in answers if one.mpi == mpi]
    return f"{sum(getattr(one, what) for one in own)} of {len(own)}"


if __name__ == "__main__":
    start_command(command, "hangs")
