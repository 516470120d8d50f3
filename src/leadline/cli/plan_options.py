"""The options that shape a plan, and the axes of the benchmarks named on the command line."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from leadline.cli.completion import complete_mpis
from leadline.cli.options import (
    ADVANCED,
    OUTPUT,
    PRECISION,
    WHAT,
    Declared,
    Shared,
    headed,
    html_option,
    option,
)
from leadline.model.interference import BESIDE
from leadline.model.plan import Plan
from leadline.model.plan_options import OPTIONS, PlanOption, with_written

quick_option = headed(WHAT, "Measure few values of each axis.", is_flag=True)

# What a simulated machine has no use for, beside the options of the plan that say so.
_OF_REAL_MACHINES = {
    "until_sure": headed(
        PRECISION,
        "Launch again, for at most this long, while a difference is undecided.",
        "DURATION",
    ),
    "same_within": headed(
        PRECISION,
        "With --until-sure: treat differences up to this as equal  [default: 5%]",
        "PERCENT",
    ),
    "interval": headed(
        PRECISION,
        "With --until-sure: launch again while an interval is wider than this to either side.",
        "PERCENT",
    ),
    "background": headed(
        ADVANCED,
        "Disturb every other launch by a second job: short for --knob beside=default,KIND.",
        "KIND,...",
    ),
    # As they were called before.
    "beside": option("", hidden=True),
    "beside_hosts": option("", hidden=True),
}
_OF_ALL = {
    "order": headed(WHAT, "Rank orders: short for --knob order=.", "ORDER,..."),
    "dry_run": headed(OUTPUT, "Print the commands, and measure nothing.", is_flag=True),
    "as_json": headed(OUTPUT, "Print one JSON object.", "--json", is_flag=True),
    "html": html_option("Write the report to FILE."),
    "runs": Shared.runs,
}


def _of_plans(options: Iterable[PlanOption]) -> dict[str, Declared]:
    return {each.parameter: _of_plan_option(each) for each in options}


def _of_plan_option(row: PlanOption) -> Any:
    settings: dict[str, Any] = {"metavar": row.metavar, "show_default": False}
    if row.takes == "switch":
        return headed(
            row.heading, row.help, f"{row.flag}/--no-{row.parameter}", default=None, **settings
        )
    if row.takes == "value" and row.parse is not str:
        settings["type"] = row.parse
    if row.field == "mpi":
        settings["shell_complete"] = complete_mpis
    if row.takes == "flag":
        settings["is_flag"] = True
    settings["multiple"] = row.takes in ("several", "knobs")
    return headed(row.heading, row.help, row.flag, **settings)


# The options of a command that measures, and those that make sense for a simulated machine.
PLAN_OPTIONS = {**_OF_REAL_MACHINES, **_of_plans(OPTIONS), "anyway": Shared.anyway, **_OF_ALL}
SIMULATION_OPTIONS = {**_of_plans(each for each in OPTIONS if not each.real), **_OF_ALL}


# What stands before the name of an axis, or of a setting, in the names of parsed options.
AXIS, SETTING = "axis__", "setting__"


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the options of a measuring command say, as they were written.

    One that was not given is None, False or empty. `what` are benchmarks or a plan, `axes` and
    `settings` the options that these have, `plan` those of the plan.
    """

    runs: Path
    what: tuple[str, ...] = ()
    axes: dict[str, str] = {}
    settings: dict[str, str] = {}
    plan: dict[str, Any] = {}
    quick: bool = False
    until_sure: str | None = None
    same_within: str | None = None
    interval: str | None = None
    anyway: bool = False
    on: str | None = None
    processes: str | None = None
    change: tuple[str, ...] = ()
    dry_run: bool = False
    as_json: bool = False
    html: Path | None = None

    @property
    def place(self) -> str | None:
        """The placements."""
        return self.plan.get("place")


def read_options(chosen: Mapping[str, Any]) -> RunOptions:
    """Return the options that click has parsed; those of axes and settings have prefixes."""
    known = {name: chosen[name] for name in RunOptions.__struct_fields__ if name in chosen}
    for group, prefix in (("axes", AXIS), ("settings", SETTING)):
        known[group] = {
            name.removeprefix(prefix): text
            for name, text in chosen.items()
            if name.startswith(prefix) and text is not None
        }
    return RunOptions(**known | {"what": known.get("what") or (), "plan": _of_plan(chosen)})


def _of_plan(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was written behind the options of the plan, also by short and former names."""
    written = {each.parameter: chosen.get(each.parameter) for each in OPTIONS}
    written["background_hosts"] = written["background_hosts"] or chosen.get("beside_hosts")
    words = list(written["knob"] or ())
    if (order := chosen.get("order")) is not None:
        words.append(f"order={order}")
    if kinds := chosen.get("background") or chosen.get("beside"):
        words.append(f"{BESIDE}=default,{kinds}")
    written["knob"] = words
    flags = {each.parameter for each in OPTIONS if each.takes in ("flag", "several", "knobs")}
    return {
        name: value
        for name, value in written.items()
        if value is not None and (value or name not in flags)
    }


def with_options(plan: Plan, options: RunOptions) -> Plan:
    """Return `plan` with what the options say; options that were not given change nothing.

    Raises `UserError` for a placement or knob that cannot be read.
    """
    return with_written(plan, options.plan)


def quickened(plan: Plan) -> Plan:
    """Return the plan with few values of each axis."""
    entries = [msgspec.structs.replace(each, values="quick") for each in plan.entries]
    return msgspec.structs.replace(plan, entries=tuple(entries))
