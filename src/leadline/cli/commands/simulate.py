"""`leadline simulate`: measure benchmarks, or a plan, on a machine that one does not have."""

from typing import Any

import click
import msgspec

from leadline.cli.benchmark_command import BenchmarkCommand, plan_of
from leadline.cli.completion import complete_platforms, complete_what
from leadline.cli.group import Mode
from leadline.cli.measure import measure
from leadline.cli.options import WHAT, WHERE, argument, declared, headed
from leadline.cli.plan_options import (
    SIMULATION_OPTIONS,
    RunOptions,
    quick_option,
    read_options,
    with_options,
)
from leadline.core.errors import UserError
from leadline.core.units import expand_values
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Stopping

# Time on a quiet machine is exact: what is done again takes as long again.
_ONCE = Stopping(minimum=1, maximum=1)
_USUAL_PROCESSES = "2"


class _SimulateCommand(BenchmarkCommand):
    simulated = True

    def plan(self, options: RunOptions) -> Plan:
        """Return the plan for its platform, with what is usual there. Raises `UserError`."""
        return with_options(_plan_simulation(plan_of(options), options), options)


MODES = (
    Mode(
        "--predict",
        "Predict collectives on thousands of processes",
        "simulate_predict",
        heading=WHAT,
    ),
)


@declared(
    "simulate",
    {
        "what": argument(
            "BENCHMARK... | PLAN", nargs=-1, required=True, shell_complete=complete_what
        ),
        "on": headed(
            WHERE,
            "A machine that `leadline platforms` lists.",
            "PLATFORM",
            shell_complete=complete_platforms,
        ),
        "processes": headed(
            WHERE,
            "Number of processes, node by node, instead of --place  [default: 2]",
            "N,...",
        ),
        "change": headed(
            WHERE,
            "Change a number of the platform, such as network.bandwidth=x2; may be repeated.",
            "KEY=VALUE,...",
            multiple=True,
        ),
        "quick": quick_option,
        **SIMULATION_OPTIONS,
    },
    cls=_SimulateCommand,
    modes=MODES,
    examples=(
        "leadline simulate mpi/allreduce --on fat-tree-200g --processes 64",
        "leadline simulate mpi/pingpong --on cray-xt --place 2x1",
        "leadline simulate quick --on fat-tree-200g --change network.bandwidth=x2",
    ),
)
def command(ctx: click.Context, /, **chosen: Any) -> None:
    """Measure benchmarks on a simulated machine.

    A PLAN is a TOML file, or the name of a plan that leadline ships; options are as in `leadline
    run`. SimGrid's SMPI runs the same programs on the platform. Its times are exact: each point is
    measured once unless noise disturbs messages. Computing takes no time, only messages do.
    """
    options = read_options(chosen)
    ctx.exit(measure(command.plan(options), options))


def _plan_simulation(plan: Plan, options: RunOptions) -> Plan:
    """Return the plan for its platform, or the one that is named, with what is usual there.

    Raises `UserError` without a platform, and for processes that it has no room for.
    """
    from leadline.measure.plan.checks import platform_of

    own = bool(plan.platform)
    changes = (*plan.changes, *options.change)
    plan = msgspec.structs.replace(plan, platform=options.on or plan.platform, changes=changes)
    platform = platform_of(plan)
    if platform is None:
        raise UserError("--on is missing: name a machine that `leadline platforms` lists")
    noise = platform.noise
    if not own:
        quiet = not (noise.latency or noise.probability)
        stopping = _ONCE if quiet else plan.stopping
        plan = msgspec.structs.replace(plan, launches=1, roofs=False, stopping=stopping)
    if options.place and options.processes:
        raise UserError("--processes and --place say the same in two ways: leave out one of them")
    if options.processes or not (options.place or _has_placements(plan)):
        return msgspec.structs.replace(plan, placements=_fill_platform(platform, options.processes))
    return plan


def _has_placements(plan: Plan) -> bool:
    return plan.placements != Plan(entries=()).placements


def _fill_platform(platform: Any, processes: str | None) -> tuple[Placement, ...]:
    from leadline.topology.platforms.simulation import fill_nodes

    try:
        counts = expand_values(processes or _USUAL_PROCESSES)
    except UserError:
        raise UserError(
            f"--processes {processes}: write numbers such as 128 or 16:128:x2"
        ) from None
    return tuple(fill_nodes(platform, count) for count in counts)
