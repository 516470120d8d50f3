"""`leadline compare`: runs, files, and parts of them against each other."""

import sys
from pathlib import Path

import click
import msgspec

from leadline.cli.completion import complete_runs
from leadline.cli.options import Shared, argument, declared, html_option, option, print_json
from leadline.core.errors import UserError
from leadline.core.units import parse_percent
from leadline.exchange.subject import (
    Side,
    Subject,
    first_since,
    have_figures_in_common,
    part,
    side_of,
    split,
)

_NOT_MEASURED = 2
# Of more figures those that did not change are left to `--full`.
_FEW = 12


@declared()
def command(
    ctx: click.Context,
    what: tuple[str, ...] = argument(
        "BASE [OTHER]...", required=True, shell_complete=complete_runs
    ),
    by: str | None = option(
        "Split one run by its mpi, place, or an axis, setting or knob.", "CHOICE"
    ),
    since: str | None = option(
        "Compare one run with the first of the same kind from this day on.", "DATE"
    ),
    same_within: str = Shared.same_within,
    fail_if: tuple[str, ...] = Shared.fail_if,
    full: bool = option("Print the figures that did not change too."),
    as_json: bool = Shared.json,
    html: Path | None = html_option("Write a page with tables and charts to FILE."),
    runs: Path = Shared.runs,
) -> None:
    """Compare runs: what became slower or faster.

    Every OTHER is compared with BASE, figure by figure: how much faster or slower, and whether the
    difference is significant. Each is a run, as `leadline show` takes it, or a file of another
    program; a colon and NAME=VALUE,... after it takes a part: last:mpi=mpich-5,place=1x2. Two
    recordings of a program are compared as `leadline explain --diff` does. Exit status: 0 compared,
    1 where --fail-if holds, 2 bad input, or no figure that both have.
    """
    from leadline.analysis.compare.compare import compare, failures, parse_gate
    from leadline.analysis.compare.differences import apart_s, differences
    from leadline.analysis.findings.open_verdicts import settling_commands
    from leadline.cli.show import ANSWER_FORMAT
    from leadline.output.terminal.comparison import print_comparison, print_failures, print_settling

    gates, within = [parse_gate(text) for text in fail_if], parse_percent(same_within)
    named = [part(word, runs) for word in what]
    if any(found.run.explained for _, found in named):
        options = {"--by": by, "--since": since, "--fail-if": fail_if, "--html": html}
        given = [option for option, value in options.items() if value]
        _compare_recordings(what, [found for _, found in named], given, runs, as_json, full)
        return
    base, *others = _sides(what, named, by, since, runs)
    comparisons = [
        compare(base.name, base.points, other.name, other.points, within) for other in others
    ]
    answers = [
        {
            **msgspec.structs.asdict(found),
            "differences": differences(base.run, other.run),
            "failures": failures(found, gates),
            "settling": list(settling_commands(found, base.run, other.run)),
        }
        for found, other in zip(comparisons, others, strict=True)
    ]
    failed = [each["failures"] for each in answers]
    if as_json:
        print_json({"format": ANSWER_FORMAT, "comparisons": answers})
    else:
        for found, answer, other in zip(comparisons, answers, others, strict=True):
            click.echo("\n" * (other is not others[0]), nl=False)
            folded = not full and len(found.figures) > _FEW
            apart = apart_s(base.run, other.run)
            print_comparison(found, answer["differences"], apart, only_changed=folded)
            print_settling(answer["settling"])
    if html:
        from leadline.output.html.html import write_comparison

        write_comparison(html, comparisons, [each.run for each in (base, *others)])
    for failing in failed:
        print_failures(failing, sys.stderr)
    is_judged = all(found.figures for found in comparisons)
    ctx.exit(1 if any(failed) else 0 if is_judged else _NOT_MEASURED)


def _compare_recordings(
    what: tuple[str, ...],
    found: list[Subject],
    given: list[str],
    runs: Path,
    as_json: bool,
    full: bool,
) -> None:
    from leadline.cli.explaining import of_subject, show_difference

    if given:
        raise UserError(
            f"recordings of programs are compared as they are: leave out {', '.join(given)}"
        )
    others = [word for word, each in zip(what, found, strict=True) if not each.run.explained]
    if others:
        word = next(word for word in what if word not in others)
        raise UserError(
            f"{word} is a recording of a program, and {others[0]} has figures: compare two "
            "recordings, or two runs with figures"
        )
    if len(found) != 2:
        raise UserError(f"recordings of programs are compared two at a time, not {len(found)}")
    base, other = (of_subject(each, word, runs) for word, each in zip(what, found, strict=True))
    show_difference(base, other, as_json=as_json, full=full)


def _sides(
    what: tuple[str, ...],
    named: list[tuple[str, Subject]],
    by: str | None,
    since: str | None,
    runs: Path,
) -> list[Side]:
    sides = [side_of(word, *each) for word, each in zip(what, named, strict=True)]
    if (by or since) and len(sides) > 1:
        raise UserError(f"--{'by' if by else 'since'} takes one run, not {len(sides)}")
    if by:
        return split(sides[0], by)
    if since:
        return [first_since(sides[0], since, runs), *sides]
    if len(sides) < 2:
        raise UserError(f"{what[0]} is only one run: name a second one, or split it with --by mpi")
    for word, other in zip(what[1:], sides[1:], strict=True):
        if have_figures_in_common(sides[0], other):
            raise UserError(
                f"{what[0]} and {word} are one run, {other.run.run}: name another one that "
                "`leadline runs` lists, or split it with --by mpi"
            )
    return sides
