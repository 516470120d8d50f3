"""`leadline ask`: one question, one run, one answer."""

from typing import Any

import click

from leadline.cli.completion import complete_questions
from leadline.cli.measuring_command import MeasuringCommand
from leadline.cli.plan_options import (
    plan_options,
    quick_option,
    quickened,
    read_options,
    with_options,
)

HEADING = ("Measure", 3)


@click.command(
    cls=MeasuringCommand,
    examples=(
        "leadline ask",
        "leadline ask collectives",
        "leadline ask placement --hosts node1,node2 --place 2x4",
    ),
)
@click.argument("question", required=False, shell_complete=complete_questions)
@quick_option
@plan_options
@click.pass_context
def command(ctx: click.Context, /, question: str | None, **chosen: Any) -> None:
    """Measure what one question needs, and answer it.

    Without QUESTION: list the questions that leadline ships. A file of your own is a plan with a
    `question` and the kinds of finding that are its `answers`.
    """
    from leadline.analysis.questions import read_question, shipped_questions

    if question is None:
        _list([read_question(name) for name in shipped_questions()], as_json=chosen["as_json"])
        return
    from leadline.cli.measure import measure

    asked, options = read_question(question), read_options(chosen)
    plan = quickened(asked.plan) if options.quick else asked.plan
    ctx.exit(measure(with_options(plan, options), options, question=asked))


def _list(questions: list[Any], *, as_json: bool) -> None:
    if as_json:
        import msgspec

        listed = [{"name": each.name, "question": each.text} for each in questions]
        click.echo(msgspec.json.encode({"questions": listed}))
        return
    width = max((len(each.name) for each in questions), default=0)
    for each in questions:
        click.echo(f"{each.name:{width}}  {each.text}")
