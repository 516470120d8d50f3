"""`leadline survey`: this machine, measured in one go."""

from typing import Any

import click

from leadline.cli.measure import measure
from leadline.cli.measuring_command import MeasuringCommand
from leadline.cli.plan_options import (
    plan_options,
    quick_option,
    quickened,
    read_options,
    with_options,
)
from leadline.measure.plan.plans import read_plan
from leadline.site.doctor import as_json, examine


@click.command(
    cls=MeasuringCommand,
    examples=(
        "leadline survey",
        "leadline survey --mpi all --html report.html",
        "leadline survey --hosts node1,node2 --place 2x1 --launches 10",
    ),
)
@quick_option
@plan_options
@click.pass_context
def command(ctx: click.Context, /, **chosen: Any) -> None:
    """Measure this machine and say what to do.

    The machine is checked first, as `leadline check` does. The plan `survey` says what is
    measured.
    """
    options = read_options(chosen)
    survey = read_plan("survey")
    plan = with_options(quickened(survey) if options.quick else survey, options)
    # A batch job runs elsewhere.
    checks = [] if options.dry_run or plan.batch else examine()
    ctx.exit(measure(plan, options, doctor=as_json(checks)))
