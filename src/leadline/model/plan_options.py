"""The options of measuring commands that set a field of the plan, one row each."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.model.placement import parse_placement
from leadline.model.plan import Plan, Stopping


class PlanOption(NamedTuple):
    """An option of the command line, and of the commands that findings print.

    `field` is one of `Plan` or of `Stopping`. What an option `takes` is one value, a list with
    commas, several words that each repeat the option, knobs, or nothing: a `flag` sets its field,
    a `switch` has a negative form too. `parse` reads one value or item. An option for `real`
    machines only says nothing to a simulation. What `starts` launches is said wherever points are
    measured again. The number and the name of a run do not `repeat` with it.
    """

    flag: str
    field: str
    heading: str
    help: str
    metavar: str | None = None
    parse: Callable[[str], Any] = str
    takes: Literal["value", "list", "several", "knobs", "flag", "switch"] = "value"
    real: bool = False
    starts: bool = False
    repeats: bool = True

    @property
    def parameter(self) -> str:
        """The name under which the command line gives what was written."""
        return self.flag.removeprefix("--").replace("-", "_")

    def changed(self, plan: Plan, written: Any) -> Plan:
        """Return `plan` with what was written. Raises `UserError` for what cannot be read."""
        value = written
        if self.takes == "list":
            value = tuple(map(self.parse, _items(written)))
        elif self.takes == "several":
            value = (*getattr(plan, self.field), *written)
        elif self.takes == "knobs":
            value = {**getattr(plan, self.field), **parse_knobs(written)}
        if self.field in Stopping.__struct_fields__:
            stopping = msgspec.structs.replace(plan.stopping, **{self.field: value})
            return msgspec.structs.replace(plan, stopping=stopping)
        return msgspec.structs.replace(plan, **{self.field: value})

    def words(self, plan: Plan) -> Iterator[str]:
        """Yield the option as a shell takes it, as often as it takes; nothing for the default."""
        value = self._of(plan)
        if value == self._of(Plan(entries=())):
            return
        if self.takes == "flag":
            yield self.flag
        elif self.takes == "switch":
            yield self.flag if value else f"--no-{self.parameter}"
        elif self.takes == "several":
            yield from (f"{self.flag} {shlex.quote(each)}" for each in value)
        elif self.takes == "knobs":
            yield from knob_words(value)
        else:
            yield f"{self.flag} {shlex.quote(self.text(value))}"

    def text(self, value: Any) -> str:
        """Return one value, or a list, as it is written behind the option."""
        if self.takes == "list":
            return ",".join(map(str, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    def _of(self, plan: Plan) -> Any:
        own = plan.stopping if self.field in Stopping.__struct_fields__ else plan
        return getattr(own, self.field)


_WHAT, _WHERE, _PRECISION = "What", "Where", "How precisely"
_OUTPUT, _ADVANCED = "Output", "Advanced"

OPTIONS = (
    PlanOption("--place", "placements", _WHERE, "Placements NODESxPROCESSES_PER_NODE.",
               "NxP,...", parse_placement, "list"),
    PlanOption("--mpi", "mpi", _WHAT, "MPIs as `leadline mpi` lists them, or all.",
               "NAME,...", takes="list"),
    PlanOption("--hosts", "hosts", _WHERE, "Hosts to use instead of this machine.",
               "HOST,...", takes="list", real=True, starts=True),
    PlanOption("--background-hosts", "background_hosts", _ADVANCED, "Hosts of the second jobs.",
               "HOST,...", takes="list", real=True, starts=True),
    PlanOption("--remote-shell", "remote_shell", _ADVANCED,
               "Command that starts a program on a host, such as ssh.",
               "COMMAND", real=True, starts=True),
    PlanOption("--launcher", "launcher", _ADVANCED, "Launcher instead of the MPI's mpiexec.",
               "NAME", real=True, starts=True),
    PlanOption("--victims", "victims", _ADVANCED,
               "Measure on so many nodes of each placement while the other nodes disturb them.",
               "NODES", int),
    PlanOption("--launches", "launches", _PRECISION,
               "How often to start the program anew: 3, or 6 where that takes two seconds.",
               parse=int),
    PlanOption("--batch", "batch", _WHERE, "Submit the launches as a job, as to slurm.",
               "SYSTEM", real=True, starts=True),
    PlanOption("--precision", "precision", _PRECISION,
               "Stop when the median's 95 % interval is within this fraction of it.", parse=float),
    PlanOption("--minimum", "minimum", _PRECISION,
               "Fewest repetitions of a point in a launch.", parse=int),
    PlanOption("--maximum", "maximum", _PRECISION,
               "Most repetitions of a point in a launch.", parse=int),
    PlanOption("--seconds", "seconds", _PRECISION,
               "Longest time for a point in a launch.", parse=float),
    PlanOption("--time-limit", "time_limit_s", _PRECISION, "Longest time for the whole run.",
               "SECONDS", float),
    PlanOption("--budget", "budget_s", _PRECISION,
               "Time for all launches; those that do not fit are left out.", "SECONDS", float),
    PlanOption("--knob", "knobs", _WHAT,
               "Compare values of a setting; `default` is one (`leadline mpi knobs` lists them).",
               "NAME=VALUE,...", takes="knobs"),
    PlanOption("--batch-option", "batch_options", _WHERE,
               "Option for the job, such as --partition=short; may be repeated.",
               "OPTION", takes="several", real=True, starts=True),
    PlanOption("--bind", "bind", _WHERE, "Bind each rank to one core.",
               takes="switch", real=True, starts=True),
    PlanOption("--oversubscribe", "oversubscribe", _WHERE, "Allow more processes than cores.",
               takes="flag", real=True),
    PlanOption("--name", "name", _OUTPUT, "Word in the name of the run.", repeats=False),
    PlanOption("--seed", "seed", _ADVANCED,
               "Number that fixes the order of points and launches.", parse=int, repeats=False),
    PlanOption("--roofs", "roofs", _ADVANCED, "Also measure the hardware limit (roofline).",
               takes="switch"),
)  # fmt: skip


def with_written(plan: Plan, written: Mapping[str, Any]) -> Plan:
    """Return `plan` with what was written behind the options of these parameters.

    Raises `UserError` for what cannot be read.
    """
    for option in OPTIONS:
        if option.parameter in written:
            plan = option.changed(plan, written[option.parameter])
    return plan


def parse_knobs(words: Iterable[str]) -> dict[str, str]:
    """Return the values of each knob. Raises `UserError` for a word that is not NAME=VALUE,..."""
    knobs: dict[str, str] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not (name and equals and values):
            raise UserError(f"knob {word!r} is not NAME=VALUE,...: write eager_limit=16K,64K")
        knobs[name] = f"{knobs[name]},{values}" if name in knobs else values
    return knobs


def knob_words(knobs: Mapping[str, str]) -> Iterator[str]:
    """Yield the options that choose these values of knobs."""
    for name, values in knobs.items():
        yield f"--knob {shlex.quote(f'{name}={values}')}"


def _items(text: str) -> list[str]:
    items = [word.strip() for word in text.split(",")]
    if not all(items):
        raise UserError(f"list {text!r} has an empty item: write A or A,B")
    return items
