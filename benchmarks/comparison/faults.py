"""The command `benchmarks/faults`: does `leadline check` name faults, and nothing else?"""

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from comparison.checked import MPIS, Started, built, by_kind, installations
from comparison.fault_table import FAULTS, Outcome, outcome
from comparison.healthy import Healthy, launches
from comparison.started import start as start_command
from leadline.core.errors import UserError


class Sound(NamedTuple):
    """What was found in a launch in which nothing is wrong.

    `alarms` are kinds that are not there, `true` those that are: more ranks than cores, or other
    programs on the ranks' cores, which no launch can mend.
    """

    name: str
    mpi: str
    alarms: tuple[str, ...]
    true: tuple[str, ...]
    own_s: float


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", "labels", default=",".join(MPIS), show_default=True, help="In turn.")
@click.option("--only", default="", help="Faults with this text in their names.")
@click.option("--healthy", type=click.IntRange(0), default=100, show_default=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(labels: str, only: str, healthy: int, json_file: Path | None) -> None:
    """Provoke faults of launches, do what each fix says, and look at launches without a fault.

    Each fault is right where it is named, and gone once its fix is done. Findings that say that
    other programs use the cores are counted apart. Exit status 1 where a fault is not named or not
    cured, or an alarm is false. Ctrl-C prints what is there so far.
    """
    wanted = [label for label in labels.split(",") if label]
    chosen = [fault for fault in FAULTS if only in fault.name]
    if not chosen:
        raise UserError(f"--only {only!r}: no fault has it in its name")
    outcomes: list[Outcome] = []
    sound: list[Sound] = []
    with tempfile.TemporaryDirectory(prefix="leadline-faults-") as name:
        folder = Path(name)
        there = installations(wanted)
        if missing := [label for label in wanted if label not in there]:
            raise UserError(f"no {', '.join(missing)} here: `leadline env` lists the MPIs")
        programs = {label: built(each, folder) for label, each in there.items()}
        try:
            for start in programs.values():
                for fault in chosen:
                    outcomes.append(outcome(fault, start, programs, folder))
                    print(line_of(outcomes[-1]), file=sys.stderr)
            for launch in launches(programs, there, healthy):
                sound.append(_looked_at(launch, programs))
                if sound[-1].alarms:
                    print(f"faults: FALSE ALARM {sound[-1]}", file=sys.stderr)
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in lines(outcomes, sound):
        click.echo(line)
    if json_file:
        answer = {
            "format": 1,
            "faults": [
                {**one._asdict(), "is_named": one.is_named, "is_cured": one.is_cured}
                for one in outcomes
            ],
            "healthy": [one._asdict() for one in sound],
        }
        json_file.write_text(json.dumps(answer))
    if not is_good(outcomes, sound):
        sys.exit(1)


def _looked_at(healthy: Healthy, programs: Mapping[str, Started]) -> Sound:
    begun = time.monotonic()
    said = programs[healthy.mpi].check(healthy.launch)
    own_s = time.monotonic() - begun - said["seconds"]
    alarms = healthy.alarms(tuple(by_kind(said)))
    kinds = dict.fromkeys(each["kind"] for each in said["findings"])
    true = tuple(kind for kind in kinds if kind not in alarms)
    return Sound(healthy.name, healthy.mpi, alarms, true, own_s)


def is_good(outcomes: Sequence[Outcome], sound: Sequence[Sound]) -> bool:
    """Tell whether all that could be provoked was named and cured, and no alarm was false."""
    provoked = (one for one in outcomes if not one.skipped)
    return all(one.is_cured for one in provoked) and not any(one.alarms for one in sound)


def line_of(one: Outcome) -> str:
    """Return what came of one fault, in a line."""
    if one.skipped:
        return f"faults: {one.mpi}, {one.fault}: not provoked: {one.skipped}"
    if not one.is_named:
        return f"faults: {one.mpi}, {one.fault}: NOT NAMED {one.kind}: {_kinds(one.named)}"
    cured = "cured" if one.is_cured else f"NOT CURED by {one.fix}: {_kinds(one.left)}"
    return f"faults: {one.mpi}, {one.fault}: {one.kind}, {cured}"


def _kinds(kinds: Sequence[str]) -> str:
    return ", ".join(kinds) or "nothing found"


def lines(outcomes: Sequence[Outcome], sound: Sequence[Sound]) -> Iterator[str]:
    """Yield the tables: each fault with each MPI, the sums, and the launches without a fault."""
    mpis = list(dict.fromkeys(one.mpi for one in outcomes))
    if mpis:
        yield f"| fault | {' | '.join(mpis)} |"
        yield f"|{'---|' * (len(mpis) + 1)}"
        for fault in dict.fromkeys(one.fault for one in outcomes):
            cells = [_cell(one for one in outcomes if (one.fault, one.mpi) == (fault, mpi))
                     for mpi in mpis]  # fmt: skip
            yield f"| {fault} | {' | '.join(cells)} |"
        yield f"| named and cured | {' | '.join(_sums(outcomes, mpis))} |"
    if sound:
        yield ""
        alarmed = sum(bool(one.alarms) for one in sound)
        yield f"{len(sound)} launches without a fault: {alarmed} false alarms"
        for kind in sorted({kind for one in sound for kind in one.true}):
            yield f"{sum(kind in one.true for one in sound)} of them with {kind}, which is true"
        own = sorted(one.own_s for one in sound)
        yield f"beside the look, median: {own[len(own) // 2]:.1f} s with the start of the program"


def _cell(found: Iterable[Outcome]) -> str:
    one = next(iter(found), None)
    if one is None:
        return ""
    if one.skipped:
        return "-"
    return "cured" if one.is_cured else "named" if one.is_named else "no"


def _sums(outcomes: Sequence[Outcome], mpis: Sequence[str]) -> Iterator[str]:
    for mpi in mpis:
        provoked = [one for one in outcomes if one.mpi == mpi and not one.skipped]
        yield f"{sum(one.is_cured for one in provoked)} of {len(provoked)}"


if __name__ == "__main__":
    start_command(command, "faults")
