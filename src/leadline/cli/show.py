"""A run shown in the form that was asked for: for people, as JSON, as the first screen."""

from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

import click
import msgspec

from leadline.analysis.verdict import verdict_of
from leadline.cli.explaining import show_kept
from leadline.cli.options import print_json
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.exchange.analysis import analysis_of
from leadline.exchange.subject import Subject, subject
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.terminal.summary import print_answer, print_summary
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables import run_table
from leadline.store.folder import run_paths
from leadline.store.overview import keep_grade

ANSWER_FORMAT = 1
_OF_ANALYSIS = (
    *("points", "missing", "sweeps", "findings", "jitter", "impacts", "pairs"),
    *("published", "replayed", "noise"),
)


def show(
    found: Subject,
    word: str = "",
    *,
    as_json: bool,
    html: Path | None,
    question: Question | None = None,
    table: str | None = None,
    full: bool = False,
) -> None:
    """Analyse the run and print it, as JSON or for people; write the report where asked.

    `word` is what the user called it. With a question, what people see is the answer. `table` names
    one of `TABLE_NAMES`, which takes the place of all else; `full` prints all figures and
    findings below the verdict.
    """
    if found.run.explained:
        word = word if word and not found.folder else found.run.run
        show_kept(found, word, as_json=as_json, html=html, table=table, full=full)
        return

    run, source, folder = found
    if html is None:
        analysis = analysis_of(run, source)
    else:
        from leadline.output.html.charts import sample_collector
        from leadline.output.html.html import write_report

        kept = sample_collector(run)
        analysis = analysis_of(run, source, [kept])
        try:
            write_report(html, run, analysis, kept)
        except OSError as error:
            raise UserError(
                f"cannot write {html}: {error.strerror}: choose another file"
            ) from error
    if folder and run.outcome.state != "running":
        keep_grade(folder.path, verdict_of(run, analysis).trust)
    if table:
        _print_table(table, run, analysis, as_json=as_json)
    elif as_json:
        whole = answer(run, folder.path if folder else None, analysis)
        print_json(whole | (answered(question, analysis) if question else {}))
    elif question:
        print_answer(question, answers_to(question, analysis), run, analysis)
    else:
        # What is in no store is called by its file: the commands below it take that.
        called = run if folder or not word else msgspec.structs.replace(run, run=quote(word))
        print_summary(called, analysis, full=full)
    if html and not as_json:
        click.echo(f"report: {html}")


def _print_table(name: str, run: Run, analysis: Analysis, *, as_json: bool) -> None:
    filled = run_table(name, run, analysis)
    if as_json:
        columns = [column.name for column in filled.columns]
        rows = [row.cells for row in filled.rows]
        content = {"table": name, "notes": filled.notes, "columns": columns, "rows": rows}
        print_json(content)
    else:
        click.echo("\n".join(lines(filled)))


def answer(run: Run, folder: Path | None, analysis: Analysis) -> dict[str, Any]:
    """Return the object: names and shapes change only together with `format`.

    There is no folder where a file of another program is shown.
    """
    of_analysis = msgspec.to_builtins({name: getattr(analysis, name) for name in _OF_ANALYSIS})
    of_launches = {
        name: [
            {"launch": launch.launch, **msgspec.to_builtins(part)}
            for launch in run.launches
            if (part := getattr(launch, field))
        ]
        for name, field in (("clocks", "clock"), ("company", "company"))
    }
    return {
        "format": ANSWER_FORMAT,
        "run": run.run,
        "folder": str(folder) if folder else None,
        "outcome": msgspec.to_builtins(run.outcome),
        "verdict": msgspec.to_builtins(verdict_of(run, analysis)),
        "points": of_analysis.pop("points"),
        "undecided": list(run.undecided),
        **of_analysis,
        **of_launches,
    }


def answers_to(question: Question, analysis: Analysis) -> list[int]:
    """Return the indices of the findings that answer the question."""
    return [i for i, one in enumerate(analysis.findings) if one.kind in question.answers]


def answered(question: Question, analysis: Analysis) -> dict[str, Any]:
    """Return what the object of a run holds beside, where a question was asked."""
    return {"question": question.text, "answers": answers_to(question, analysis)}


_SUGGESTIONS = (
    ("leadline survey", "measure this machine and say what to do"),
    ("leadline run --list questions", "list the questions that one command answers"),
    ("leadline --help", "list all commands"),
)
_SPANS = ((86_400, "day"), (3600, "hour"), (60, "minute"))


def print_start_screen(runs: Path) -> None:
    """Print the answer of the folder's last run, if there is one, and three commands."""
    if run_paths(runs):
        _show_last(runs)
    else:
        click.echo(f"No runs in {runs}.")
    click.echo("\nWhat to type next:")
    width = max(len(line) for line, _ in _SUGGESTIONS)
    for line, purpose in _SUGGESTIONS:
        click.echo(f"  {line:{width}}  {purpose}")


def _show_last(runs: Path) -> None:
    try:
        found = subject("last", runs)
        click.echo(f"Last run: {found.run.run}{_age(found.run.started)}.\n")
        show(found, as_json=False, html=None)
    except UserError as error:  # a damaged run must not hide what to type next
        click.echo(f"leadline: {error}", err=True)


def _age(started: str) -> str:
    try:
        began = datetime.fromisoformat(started).astimezone(UTC)
    except ValueError:  # a file of another program, which may write its date as it likes
        return ""
    seconds = (datetime.now(UTC) - began).total_seconds()
    span, noun = next((each for each in _SPANS if seconds >= each[0]), _SPANS[-1])
    return f", {count(max(1, int(seconds // span)), noun)} ago"
