"""The options that shape a plan, and the axes of the benchmarks named on the command line."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from leadline.cli.completion import complete_mpis
from leadline.cli.headings import ADVANCED, OUTPUT, PRECISION, WHAT, WHERE, headed
from leadline.cli.options import anyway_option, html_option, runs_option
from leadline.core.errors import UserError
from leadline.model.interference import BESIDE
from leadline.model.placement import parse_placement
from leadline.model.plan import Plan, Stopping

quick_option = headed(WHAT, "--quick", is_flag=True, help="Measure few values of each axis.")

# What a simulated machine has no use for.
_OF_REAL_MACHINES = [
    headed(WHERE, "--hosts", metavar="HOST,...", help="Hosts to use instead of this machine."),
    headed(WHERE, "--batch", metavar="SYSTEM", help="Submit the launches as a job, as to slurm."),
    headed(
        WHERE,
        "--batch-option",
        multiple=True,
        metavar="OPTION",
        help="Option for the job, such as --partition=short; may be repeated.",
    ),
    headed(WHERE, "--bind/--no-bind", default=None, help="Bind each rank to one core."),
    headed(WHERE, "--oversubscribe", is_flag=True, help="Allow more processes than cores."),
    anyway_option,
    headed(
        PRECISION,
        "--until-sure",
        metavar="DURATION",
        help="Launch again, for at most this long, while a difference is undecided.",
    ),
    headed(
        PRECISION,
        "--same-within",
        metavar="PERCENT",
        help="With --until-sure: treat differences up to this as equal  [default: 5%]",
    ),
    headed(
        PRECISION,
        "--interval",
        metavar="PERCENT",
        help="With --until-sure: launch again while an interval is wider than this to either side.",
    ),
    headed(
        ADVANCED,
        "--background",
        metavar="KIND,...",
        help="Disturb every other launch by a second job: short for --knob beside=default,KIND.",
    ),
    headed(ADVANCED, "--background-hosts", metavar="HOST,...", help="Hosts of the second jobs."),
    # As they were called before.
    click.option("--beside", hidden=True),
    click.option("--beside-hosts", hidden=True),
    headed(
        ADVANCED,
        "--remote-shell",
        metavar="COMMAND",
        help="Command that starts a program on a host, such as ssh.",
    ),
    headed(ADVANCED, "--launcher", metavar="NAME", help="Launcher instead of the MPI's mpiexec."),
]
_OF_ALL = [
    headed(WHERE, "--place", metavar="NxP,...", help="Placements NODESxPROCESSES_PER_NODE."),
    headed(
        WHAT,
        "--mpi",
        metavar="NAME,...",
        shell_complete=complete_mpis,
        help="MPIs as `leadline mpi` lists them, or all.",
    ),
    headed(
        WHAT,
        "--knob",
        multiple=True,
        metavar="NAME=VALUE,...",
        help="Compare values of a setting; `default` is one (`leadline knobs` lists them).",
    ),
    headed(WHAT, "--order", metavar="ORDER,...", help="Rank orders: short for --knob order=."),
    headed(
        PRECISION,
        "--launches",
        type=int,
        help="How often to start the program anew; more give narrower intervals.",
    ),
    headed(
        PRECISION,
        "--precision",
        type=float,
        help="Stop when the median's 95 % interval is within this fraction of it.",
    ),
    headed(PRECISION, "--minimum", type=int, help="Fewest repetitions of a point in a launch."),
    headed(PRECISION, "--maximum", type=int, help="Most repetitions of a point in a launch."),
    headed(PRECISION, "--seconds", type=float, help="Longest time for a point in a launch."),
    headed(
        PRECISION,
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="Longest time for the whole run.",
    ),
    headed(OUTPUT, "--name", help="Word in the name of the run."),
    headed(OUTPUT, "--dry-run", is_flag=True, help="Print the commands, and measure nothing."),
    headed(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object."),
    html_option("Write the report to FILE."),
    runs_option,
    headed(
        ADVANCED,
        "--victims",
        type=int,
        metavar="NODES",
        help="Measure on so many nodes of each placement while the other nodes disturb them.",
    ),
    headed(
        ADVANCED, "--seed", type=int, help="Number that fixes the order of points and launches."
    ),
    headed(
        ADVANCED,
        "--roofs/--no-roofs",
        default=None,
        help="Also measure the hardware limit (roofline).",
    ),
]


def plan_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that measures."""
    return _with([*_OF_ALL[:1], *_OF_REAL_MACHINES, *_OF_ALL[1:]], function)


def simulation_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add those options to a command that make sense for a simulated machine."""
    return _with(_OF_ALL, function)


def _with(options: list[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


# What stands before the name of an axis, or of a setting, in the names of parsed options.
AXIS, SETTING = "axis__", "setting__"


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the options of a measuring command say, as they were written.

    One that was not given is None, False or empty. `what` are benchmarks or a plan, `axes` and
    `settings` the options that these have.
    """

    runs: Path
    what: tuple[str, ...] = ()
    axes: dict[str, str] = {}
    settings: dict[str, str] = {}
    quick: bool = False
    place: str | None = None
    victims: int | None = None
    mpi: str | None = None
    knob: tuple[str, ...] = ()
    order: str | None = None
    launches: int | None = None
    precision: float | None = None
    minimum: int | None = None
    maximum: int | None = None
    seconds: float | None = None
    time_limit: float | None = None
    seed: int | None = None
    roofs: bool | None = None
    name: str | None = None
    hosts: str | None = None
    remote_shell: str | None = None
    launcher: str | None = None
    background: str | None = None
    background_hosts: str | None = None
    batch: str | None = None
    batch_option: tuple[str, ...] = ()
    until_sure: str | None = None
    same_within: str | None = None
    interval: str | None = None
    bind: bool | None = None
    oversubscribe: bool = False
    anyway: bool = False
    on: str | None = None
    processes: str | None = None
    change: tuple[str, ...] = ()
    dry_run: bool = False
    as_json: bool = False
    html: Path | None = None


def read_options(chosen: Mapping[str, Any]) -> RunOptions:
    """Return the options that click has parsed; those of axes and settings have prefixes."""
    known = {name: chosen[name] for name in RunOptions.__struct_fields__ if name in chosen}
    for old, new in (("beside", "background"), ("beside_hosts", "background_hosts")):
        known[new] = chosen.get(new) or chosen.get(old)
    for group, prefix in (("axes", AXIS), ("settings", SETTING)):
        known[group] = {
            name.removeprefix(prefix): text
            for name, text in chosen.items()
            if name.startswith(prefix) and text is not None
        }
    return RunOptions(**known | {"what": known.get("what") or ()})


def with_options(plan: Plan, options: RunOptions) -> Plan:
    """Return `plan` with what the options say; options that were not given change nothing.

    Raises `UserError` for a placement or knob that cannot be read.
    """
    stopping = {
        name: value
        for name in Stopping.__struct_fields__
        if (value := getattr(options, name)) is not None
    }
    changes: dict[str, Any] = {
        "launches": options.launches,
        "seed": options.seed,
        "bind": options.bind,
        "time_limit_s": options.time_limit,
        "name": options.name,
        "victims": options.victims,
        "background_hosts": _each(options.background_hosts, str),
        "remote_shell": options.remote_shell,
        "launcher": options.launcher,
        "batch": options.batch,
        "batch_options": (*plan.batch_options, *options.batch_option),
        "knobs": {**plan.knobs, **_read_knobs(options)} or None,
        "oversubscribe": options.oversubscribe or None,
        "roofs": options.roofs,
        "stopping": msgspec.structs.replace(plan.stopping, **stopping),
        "placements": _each(options.place, parse_placement),
        "mpi": _each(options.mpi, str),
        "hosts": _each(options.hosts, str),
    }
    given = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(plan, **given)


def quickened(plan: Plan) -> Plan:
    """Return the plan with few values of each axis."""
    entries = [msgspec.structs.replace(each, values="quick") for each in plan.entries]
    return msgspec.structs.replace(plan, entries=tuple(entries))


def _read_knobs(options: RunOptions) -> dict[str, str]:
    words = list(options.knob)
    if options.order is not None:
        words.append(f"order={options.order}")
    if options.background is not None:
        words.append(f"{BESIDE}=default,{options.background}")
    found: dict[str, str] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not (name and equals and values):
            raise UserError(f"knob {word!r} is not NAME=VALUE,...: write eager_limit=16K,64K")
        found[name] = f"{found[name]},{values}" if name in found else values
    return found


def _each(text: str | None, parse: Callable[[str], Any]) -> tuple[Any, ...] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise UserError(f"list {text!r} has an empty item: write A or A,B")
    return tuple(parse(word) for word in words)
