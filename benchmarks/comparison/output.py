"""The comparison as tables for people."""

from collections.abc import Sequence

import click

from comparison.busy import OFF_S, ON_S
from comparison.cases import Case, points, sweep
from comparison.figures import AGREEMENT, Figure, figures, findings, ratios, walls
from comparison.measure import Measurement
from leadline.core.units import format_bytes, format_seconds
from leadline.output.table import table_of
from leadline.output.terminal.table import print_table

# IMB prints hundredths of a microsecond.
_STEP_S = 1e-8


def print_comparison(measurements: Sequence[Measurement]) -> None:
    """Print everything that the measurements say; what was not measured is left out."""
    for case in points():
        if found := figures(measurements, [case]):
            _print_points(case, found)
    _print_findings(measurements)
    _print_sweep(measurements)


def _print_points(case: Case, found: list[Figure]) -> None:
    click.echo(f"\n{case.name}, two ranks on one node. What the figures are:")
    for contender in case.contenders:
        click.echo(f"  {contender.name}: {contender.definition}")
    print_table(
        table_of(
            (
                "size",
                "machine",
                "tool",
                "launches",
                "median",
                "lowest",
                "variation",
                "steady",
                "wall",
            ),
            (
                (
                    format_bytes(each.bytes),
                    each.condition,
                    each.contender,
                    each.launches,
                    format_seconds(each.median_s),
                    format_seconds(each.lowest_s),
                    _percent(each.variation),
                    f"{_percent(each.steady_variation)} of {each.steady_launches}",
                    format_seconds(each.wall_s),
                )
                for each in found
            ),
        )
    )
    click.echo(
        f"{case.name}, leadline over IMB. Goals: within {AGREEMENT:.0%} of IMB's best run when "
        "quiet; a third of IMB's run-to-run\nvariation when quiet, a fifth when disturbed. IMB "
        f"prints steps of {format_seconds(_STEP_S)}: a variation below that is unknown (-)."
    )
    print_table(
        table_of(
            (
                "size",
                "machine",
                "leadline's",
                "IMB's",
                "medians",
                "best run",
                "variation",
                "steady",
                "misses",
            ),
            (
                (
                    format_bytes(each.bytes),
                    each.condition,
                    each.own,
                    each.peer,
                    _ratio(each.medians),
                    _ratio(each.over_best),
                    _ratio(each.variations),
                    _ratio(each.steady_variations),
                    ", ".join(each.misses),
                )
                for each in ratios(found)
            ),
        )
    )


def _print_findings(measurements: Sequence[Measurement]) -> None:
    click.echo("\nWhat leadline itself reported of the machine:")
    for condition in ("quiet", "disturbed"):
        runs, kinds = findings(measurements, condition)
        if runs:
            named = ", ".join(f"{kind} in {count}" for kind, count in kinds.items())
            click.echo(f"  {condition}: findings of {runs} runs: {named or 'none'}")
    click.echo(
        f"  disturbed means: a process computes for {format_seconds(ON_S)} and sleeps for "
        f"{format_seconds(OFF_S)} on the second rank's processor"
    )


def _print_sweep(measurements: Sequence[Measurement]) -> None:
    taken = walls(measurements)
    if not taken:
        return
    own = {name for name, _ in sweep().pairs}
    peers = [each.wall_s for each in taken if each.contender not in own]
    click.echo("\nDefault ping-pong sweep, 0 B to 4 MiB, wall time from start to the last process:")
    print_table(
        table_of(
            ("tool", "launched", "wall time", "leadline's default over this"),
            (
                (
                    each.contender,
                    each.launches,
                    format_seconds(each.wall_s),
                    next(
                        (
                            _ratio(mine.wall_s / each.wall_s)
                            for mine in taken
                            if mine.contender in own and peers
                        ),
                        None,
                    ),
                )
                for each in taken
            ),
        )
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
