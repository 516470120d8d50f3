"""`leadline run`: measure benchmarks, or a plan from a file."""

from typing import Any

import click

from leadline.cli.benchmark_command import BenchmarkCommand
from leadline.cli.completion import complete_what
from leadline.cli.plan_options import plan_options, quick_option, read_options

HEADING = ("Measure", 2)


@click.command(
    cls=BenchmarkCommand,
    examples=(
        "leadline run mpi/pingpong",
        "leadline run mpi/allreduce --bytes 8,64K --mpi all --launches 10",
        "leadline run survey --hosts node1,node2 --place 2x1,2x4 --html report.html",
    ),
)
@click.argument(
    "what", nargs=-1, required=True, metavar="BENCHMARK... | PLAN", shell_complete=complete_what
)
@quick_option
@plan_options
@click.pass_context
def command(ctx: click.Context, /, **chosen: Any) -> None:
    """Measure benchmarks or a plan.

    A PLAN is a TOML file, or the name of a plan that leadline ships. A BENCHMARK may be a pattern,
    such as 'mpi/*': all that match and suit the placement. Every axis of the benchmarks is an
    option: `leadline run BENCHMARK --help` lists them. Lists are separated by commas; ranges are
    FIRST:LAST:STEP or FIRST:LAST:xFACTOR; K, M, G are powers of 1024.
    """
    from leadline.cli.measure import measure

    options = read_options(chosen)
    ctx.exit(measure(command.plan(options), options))
