"""A run shown in the form that was asked for."""

from pathlib import Path

import click
import msgspec

from leadline.analysis.findings import conclude
from leadline.analysis.verdict import verdict_of
from leadline.cli.answer import answer, answered, answers_to
from leadline.cli.explaining import show_kept
from leadline.core.errors import UserError
from leadline.exchange.subject import Subject
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.terminal.summary import print_answer, print_summary
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables import run_table
from leadline.store.overview import keep_grade


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
        analysis = conclude(run, source)
    else:
        from leadline.output.html.charts import sample_collector
        from leadline.output.html.html import write_report

        kept = sample_collector(run)
        analysis = conclude(run, source, collectors=[kept])
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
        click.echo(msgspec.json.encode(whole | (answered(question, analysis) if question else {})))
    elif question:
        print_answer(question, answers_to(question, analysis), run, analysis)
    else:
        print_summary(run, analysis, full=full)
    if html and not as_json:
        click.echo(f"report: {html}")


def _print_table(name: str, run: Run, analysis: Analysis, *, as_json: bool) -> None:

    filled = run_table(name, run, analysis)
    if as_json:
        columns = [column.name for column in filled.columns]
        rows = [row.cells for row in filled.rows]
        content = {"table": name, "notes": filled.notes, "columns": columns, "rows": rows}
        click.echo(msgspec.json.encode(content))
    else:
        click.echo("\n".join(lines(filled)))
