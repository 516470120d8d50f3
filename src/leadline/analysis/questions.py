"""Questions as TOML files: a plan, what it is asked for, and which findings answer."""

from pathlib import Path

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.shipped import source_folder
from leadline.measure.plan.plans import plan_path, read_table, to_plan
from leadline.model.question import Question


def shipped_questions() -> dict[str, Path]:
    """Return the questions in `plans/questions/` by name."""
    folder = source_folder() / "plans" / "questions"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def read_question(name: str) -> Question:
    """Return the shipped question `name`, or the one in the file of that name.

    What it does not say itself is that of the `plan` that it names, if any. Raises `UserError` that
    names the file and the key which is wrong.
    """
    # The names alone need no rules of findings.
    from leadline.analysis.findings.kinds import kinds

    shipped = shipped_questions()
    path = shipped.get(name, Path(name))
    if name not in shipped and not path.suffix:
        raise UserError(f"no question {name!r}: {suggestion(name, shipped)} (or a TOML file)")
    table = read_table(path)
    text, answers = table.pop("question", None), table.pop("answers", None)
    shown = table.pop("table", "")
    if not isinstance(text, str) or not text.strip():
        raise UserError(f'{path} asks nothing: give it `question = "..."`')
    if not isinstance(answers, list) or not answers or not set(map(str, answers)) <= set(kinds()):
        raise UserError(
            f"{path}: `answers` is not a list of kinds of findings, such as {', '.join(kinds())}"
        )
    if (plan := table.pop("plan", None)) is not None:
        table = {**read_table(plan_path(str(plan))), **table}
    return Question(
        name=path.stem,
        text=text,
        answers=tuple(answers),
        plan=to_plan(table, path),
        table=str(shown),
    )
