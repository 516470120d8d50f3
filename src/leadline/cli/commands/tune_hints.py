"""`leadline tune --hints`: MPI-IO hints for programs that cannot be changed."""

import json
import shlex
from pathlib import Path

import click

from leadline.core.errors import UserError
from leadline.measure.knobs import hints
from leadline.measure.knobs.hints import Rule


@click.command()
@click.argument("words", nargs=-1, metavar="[PATTERN] [KEY=VALUE]...")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("leadline.hints"),
    show_default=True,
    help="The file of patterns; more calls add to it.",
)
@click.option("--of", "name", metavar="NAME", help="Only show the hints for a file of this name.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(words: tuple[str, ...], file: Path, name: str | None, as_json: bool) -> None:
    """Write MPI-IO hints for files.

    They apply to files whose names match PATTERN (default: every file). A second file, FILE.romio,
    is what ROMIO reads. Printed are the variables that make a program's MPI read the hints.
    """
    pattern, pairs = hints.EVERY_FILE, words
    if words and "=" not in words[0]:
        pattern, pairs = words[0], words[1:]
    rules = _read(file)
    if pairs or (pattern != hints.EVERY_FILE and not name):
        rules = hints.with_rule(rules, hints.Rule(hints.checked(pattern), hints.parse_pairs(pairs)))
        _write(file, hints.rules_text(rules))
        _write(_romio(file), hints.romio_text(hints.merged(rules)))
    elif not rules:
        raise UserError(
            f"no hint is given and {file} has none: write leadline tune --hints '*.h5' cb_nodes=4"
        )
    if name:
        answer = hints.hints_of(rules, name)
        told = "\n".join(f"{key}={value}" for key, value in answer.items())
        click.echo(json.dumps({"file": name, "hints": answer}, indent=2) if as_json else told)
        return
    variables = hints.variables(rules, str(_romio(file).absolute()))
    if as_json:
        listed = [rule._asdict() for rule in rules]
        click.echo(json.dumps({"rules": listed, "variables": variables}, indent=2))
        return
    for rule in rules:
        click.echo(hints.rules_text([rule]), nl=False)
    click.echo()
    for variable, value in variables.items():
        click.echo(f"export {variable}={shlex.quote(value)}  # {hints.READERS[variable]}")


def _romio(file: Path) -> Path:
    return file.with_name(f"{file.name}.romio")


def _read(file: Path) -> list[Rule]:

    try:
        return hints.parse_rules(file.read_text())
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {error}: choose another --file") from None
    except UserError as error:
        raise UserError(f"{file}: {error}") from error


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}: choose another --file") from None
