"""Benchmarks and their axes, or a plan, as the command line names them."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from leadline.analysis.questions import shipped_questions
from leadline.cli.group import ModeCommand
from leadline.cli.options import ADVANCED, WHAT, HeadedOption, check_writable, say, write_options
from leadline.cli.plan_options import (
    AXIS,
    SETTING,
    RunOptions,
    quickened,
    read_options,
    with_options,
)
from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.core.shipped import benchmarks, source_folder
from leadline.measure.plan.plans import plan_path, read_plan, shipped_plans
from leadline.model.description import Axis
from leadline.model.interference import NEIGHBOUR, NEIGHBOUR_BYTES, SPACER
from leadline.model.plan import Entry, Plan

# As launchers call the number of processes.
_PROCESSES = ("-n", "-np", "--np", "--ntasks", "--processes")


class MeasuringCommand(ModeCommand):
    """A command with the options of a plan, which its help lists by what they are for."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, and the examples below."""
        write_options(self.get_params(ctx), ctx, formatter)
        with formatter.section("Examples"):
            for line in self._examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a number of processes is answered with a placement."""
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption as error:
            if error.option_name not in _PROCESSES:
                raise
            raise click.UsageError(_placement_for(error.option_name, args), ctx) from None


def _placement_for(option: str, args: list[str]) -> str:
    found = re.search(rf"(?:^| )(?:{'|'.join(_PROCESSES)})[ =]?(\d+)", " ".join(args))
    number = found[1] if found else "2"
    return f"no option {option}: --place 1x{number} is {number} processes on one node"


class BenchmarkCommand(MeasuringCommand):
    """A command with an option for every axis of the benchmarks that it is given."""

    simulated = False

    def plan(self, options: RunOptions) -> Plan:
        """Return the plan that the options mean. Raises `UserError`."""
        return with_options(plan_of(options), options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments with the options that the benchmarks among them have.

        A probe knows these. What is wrong without them is said before one is built. For help and
        completion none is.
        """
        # Parsed twice. Of `mpi/pingpong --bytes 8 --launches 5` the first pass reads
        # `mpi/pingpong --launches 5`, which names the benchmarks; they have an option --bytes.
        unchecked = ctx.resilient_parsing or not {"-h", "--help"}.isdisjoint(args)
        first = click.Context(self, ctx.parent, ctx.info_name, resilient_parsing=unchecked)
        super().parse_args(first, list(self._own(args)))
        if not unchecked:
            _check(self, read_options(first.params))
        what, mpi = first.params["what"] or (), first.params["mpi"]
        own = list(self.params)
        benchmarks = [word for word in what if is_benchmark(word)]
        axes: list[click.Parameter] = []
        # A shell that completes names waits for no search for MPIs.
        if not ctx.resilient_parsing:
            axes += _axis_options(benchmarks, mpi, self.simulated, say, only_listed=unchecked)
        self.params = own + axes
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities or not axes:
                raise
            raise click.UsageError(_no_axis(error.option_name, benchmarks, axes), ctx) from None
        finally:
            self.params = own

    def _own(self, args: Sequence[str]) -> Iterator[str]:
        """Yield the arguments without the options, and their values, that are not the command's."""
        flags, others = {"-h", "--help"}, set[str]()
        for option in self.params:
            if isinstance(option, click.Option):
                names = (*option.opts, *option.secondary_opts)
                (flags if option.is_flag else others).update(names)
        words = iter(args)
        for word in words:
            name, equals, _ = word.partition("=")
            if not word.startswith("-") or name in flags:
                yield word
            elif name in others:
                yield from (word,) if equals else (word, *itertools.islice(words, 1))
            elif not equals:
                next(words, "")


def _check(command: BenchmarkCommand, options: RunOptions) -> None:
    from leadline.measure.plan.checks import check_plan

    check_plan(command.plan(options))
    check_writable(options.html)


def is_benchmark(word: str) -> bool:
    """Tell whether a word names benchmarks, not a plan or a question."""
    return word.count("/") == 1 and word[:1] not in "/." and not word.endswith(".toml")


def _axis_options(
    benchmarks: list[str],
    mpi: str | None,
    simulated: bool,
    say: Callable[[str], None],
    *,
    only_listed: bool,
) -> Iterator[click.Option]:
    """Yield an option for each axis; nothing is built where they are `only_listed`, as for help."""
    from leadline.measure.plan.selection import available_probes, listed_probes, named

    if not benchmarks:
        return

    names = tuple(mpi.split(",")) if mpi else ()
    find = listed_probes if only_listed else available_probes
    found = find(benchmarks, names, say, simulated=simulated)
    chosen = [
        (probe_set, each)
        for probe_set in found
        for wanted in benchmarks
        for each in named(wanted, probe_set.benchmarks)
        if each in probe_set.benchmarks
    ]
    axes = {
        axis.name: axis for probe_set, each in chosen for axis in probe_set.benchmarks[each].axes
    }
    probes = [probe for probe_set in found for probe in probe_set.probes.values()]
    settings = {
        axis.name: axis
        for probe in probes
        for axis in (*probe.description.settings, *probe.description.neighbour_settings)
    }
    yield from (_option(axis, AXIS) for axis in axes.values())
    yield from (_option(axis, SETTING) for axis in settings.values())


def _option(axis: Axis, group: str) -> click.Option:
    allowed = f" ({', '.join(axis.choices)})" if axis.choices else ""
    spellings = {f"--{axis.name}", f"--{axis.name.replace('_', '-')}"}
    return HeadedOption(
        [*sorted(spellings), f"{group}{axis.name}"],
        heading=ADVANCED if axis.name in (NEIGHBOUR, NEIGHBOUR_BYTES, SPACER) else WHAT,
        metavar="VALUE,...",
        help=f"{axis.summary[:1].upper()}{axis.summary[1:]}{allowed}  [default: {axis.default}]",
    )


def _no_axis(name: str, benchmarks: Sequence[str], axes: Sequence[click.Parameter]) -> str:
    names = (str(each.name).split("__")[1] for each in axes)
    there = [each for each in names if each not in (NEIGHBOUR, NEIGHBOUR_BYTES, SPACER)]
    return f"{' '.join(benchmarks)} has no axis {name.lstrip('-')}; it has {', '.join(there)}"


def _run_name(benchmark: str) -> str:
    family, _, name = benchmark.partition("/")
    plain = name.isidentifier()
    return name if plain else "".join(filter(str.isalnum, family)) or "all"


def plan_of(options: RunOptions) -> Plan:
    """Return the plan that the words and the options of axes mean; `--quick` is one of these.

    Raises `UserError` where they are neither benchmarks nor one plan.
    """
    what = options.what
    benchmarks = tuple(word for word in what if is_benchmark(word))
    if len(benchmarks) == len(what):
        entry = Entry(
            benchmarks=benchmarks,
            axes=options.axes,
            settings=options.settings,
            values="quick" if options.quick else "default",
        )
        return Plan(entries=(entry,), name=_run_name(benchmarks[0]))
    if len(what) == 1:
        _check_word(what[0])
        return quickened(read_plan(what[0])) if options.quick else read_plan(what[0])
    raise UserError(f"{' '.join(what)} is neither a list of FAMILY/BENCHMARK nor one plan")


def _check_word(word: str) -> None:
    """Raise `UserError` for what is neither a plan nor a file, with the benchmark it may mean."""
    path = plan_path(word)
    if path.suffix or path.exists():
        return
    there = benchmarks(source_folder())
    short = {name.partition("/")[2]: name for name in reversed(there)}
    plans = list(dict.fromkeys([*shipped_plans(), *shipped_questions()]))
    near = short.get(word) or nearest(word, [*plans, *there])
    hint = f"did you mean {near}?" if near else f"there is {', '.join(plans)}"
    raise UserError(
        f"no plan or benchmark {word!r}: {hint} (`leadline run --list` lists benchmarks)"
    )
