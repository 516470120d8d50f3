"""`leadline run`: measure benchmarks, or a plan from a file."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from leadline.cli.plan_options import plan_options, with_options
from leadline.errors import UserError
from leadline.model.description import Axis
from leadline.model.plan import Entry, Plan

_AXIS, _SETTING = "axis__", "setting__"


class _RunCommand(click.Command):
    """A command with an option for every axis of the benchmarks that it is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = list(self.params)
        self.params = own + list(_axis_options(*self._named(args)))
        try:
            return super().parse_args(ctx, args)
        finally:
            self.params = own

    def _named(self, args: Sequence[str]) -> tuple[list[str], str | None]:
        """Return the benchmarks and the MPIs that the arguments name."""
        flags = {
            name
            for option in self.params
            if isinstance(option, click.Option) and option.is_flag
            for name in (*option.opts, *option.secondary_opts)
        } | {"-h", "--help"}
        benchmarks, mpi = [], None
        words = iter(args)
        for word in words:
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                if name not in flags and not equals:
                    value = next(words, "")
                mpi = value if name == "--mpi" else mpi
            elif _is_benchmark(word):
                benchmarks.append(word)
        return benchmarks, mpi


def _is_benchmark(word: str) -> bool:
    return word.count("/") == 1 and word[:1] not in "/." and not word.endswith(".toml")


def _axis_options(benchmarks: list[str], mpi: str | None) -> Iterator[click.Option]:
    if not benchmarks:
        return
    from leadline.execute.selection import offers

    found = offers(benchmarks, tuple(mpi.split(",")) if mpi else (), _say)
    known = [each for offer in found for each in offer.benchmarks.values()]
    axes = {a.name: a for each in known if each.name in benchmarks for a in each.axes}
    probes = [probe for offer in found for probe in offer.probes.values()]
    settings = {a.name: a for probe in probes for a in probe.description.settings}
    yield from (_option(axis, _AXIS) for axis in axes.values())
    yield from (_option(axis, _SETTING) for axis in settings.values())


def _option(axis: Axis, group: str) -> click.Option:
    allowed = f" ({', '.join(axis.choices)})" if axis.choices else ""
    spellings = {f"--{axis.name}", f"--{axis.name.replace('_', '-')}"}
    return click.Option(
        [*sorted(spellings), f"{group}{axis.name}"],
        metavar="VALUE,...",
        help=f"{axis.summary[:1].upper()}{axis.summary[1:]}{allowed}  [default: {axis.default}]",
    )


def _say(text: str) -> None:
    click.echo(f"leadline: {text}", err=True)


def _given(chosen: dict[str, Any], group: str) -> dict[str, str]:
    return {
        name.removeprefix(group): value
        for name, value in chosen.items()
        if name.startswith(group) and value is not None
    }


@click.command(cls=_RunCommand)
@click.argument("what", nargs=-1, required=True, metavar="BENCHMARK... | PLAN")
@plan_options
@click.pass_context
def command(ctx: click.Context, /, what: tuple[str, ...], **chosen: Any) -> None:
    """Measure BENCHMARKs, or a PLAN: a TOML file or the name of one that leadline ships.

    Every axis of the benchmarks is an option: `leadline run BENCHMARK --help` lists them. Lists
    are separated by commas; ranges are FIRST:LAST:STEP or FIRST:LAST:xFACTOR, and K, M, G are
    powers of 1024.
    """
    from leadline.cli.measure import measure

    benchmarks = tuple(word for word in what if _is_benchmark(word))
    if len(benchmarks) == len(what):
        entry = Entry(
            benchmarks=benchmarks,
            axes=_given(chosen, _AXIS),
            settings=_given(chosen, _SETTING),
        )
        plan = Plan(entries=(entry,), name=benchmarks[0].split("/")[-1])
    elif len(what) == 1:
        from leadline.execute.plans import read_plan

        plan = read_plan(what[0])
    else:
        raise UserError(f"{' '.join(what)} is neither a list of FAMILY/BENCHMARK nor one plan")
    ctx.exit(
        measure(
            with_options(plan, chosen),
            chosen["runs"],
            as_json=chosen["as_json"],
            html=chosen["html"],
            dry_run=chosen["dry_run"],
        )
    )
