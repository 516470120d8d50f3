"""The command `benchmarks/run nights`: nights with a false alarm, and steps that are missed."""

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from comparison.nights_measured import Measured
from comparison.nights_model import MACHINES, Nights
from comparison.nights_replay import Replayed, Source, replay

STEPS = (1.25, 1.1)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--nights", type=click.IntRange(1), default=200, show_default=True)
@click.option("--figures", default="20,40,60", show_default=True, help="Numbers of figures.")
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--of",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Draw launches from the runs of one plan in this folder instead of a model.",
)
def command(nights: int, figures: str, launches: int, seed: int, of: Path | None) -> None:
    """Replay nights of `leadline watch`, with --confirm and without.

    Each night is judged against up to 20 before it. From each, a night is branched off in which one
    figure takes 1.25x or 1.1x as long, and a second one after it. The table has the nights with a
    false alarm, those with the step found in the first night and within two, and what measuring
    again cost, as a part of the nights' time, beside what was waited for slow spells to end.
    """
    heads = ("1.25x first", "1.25x two", "1.1x first", "1.1x two", "cost", "waited")
    click.echo("machine      figures  confirm  false  " + "  ".join(f"{one:>11}" for one in heads))
    for name, count, confirm, source in _sources(figures, seed, of):
        found = replay(source, launches, nights, STEPS, confirm=confirm)
        click.echo(_row(name, count, confirm, found))


def _sources(figures: str, seed: int, of: Path | None) -> Iterator[tuple[str, int, bool, Source]]:
    if of:
        for confirm in (False, True):
            measured = Measured(np.random.default_rng(seed), of)
            yield "measured", measured.figures, confirm, measured
        return
    for machine in MACHINES:
        for count in map(int, figures.split(",")):
            for confirm in (False, True):
                yield (
                    machine.name,
                    count,
                    confirm,
                    Nights(np.random.default_rng(seed), machine, count),
                )


def _row(name: str, figures: int, confirm: bool, found: Replayed) -> str:
    rates = [f"{100 * found.alarms / found.nights:.1f} %"]
    for nights, first, two in found.found.values():
        rates += [f"{100 * first / nights:.1f} %", f"{100 * two / nights:.1f} %"]
    cost = (f"{100 * found.cost:.1f} %", f"{100 * found.waited:.1f} %")
    said = "with" if confirm else "without"
    false, *steps = rates
    return f"{name:11}  {figures:7}  {said:>7}  {false:>5}  " + "  ".join(
        f"{rate:>11}" for rate in [*steps, *cost]
    )
