"""Options that several commands share, their headings, and where a command writes."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click
import msgspec

from leadline.cli.completion import complete_mpis
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.extras import require
from leadline.store.disk import replacing, writing

WHAT, WHERE, PRECISION = "What", "Where", "How precisely"
OUTPUT, ADVANCED = "Output", "Advanced"


class HeadedOption(click.Option):
    """An option that says under which heading it is listed."""

    def __init__(self, *args: Any, heading: str = OUTPUT, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading


def write_options(
    options: Iterable[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the help of the options by heading; those that name none are of the output."""
    sections: dict[str, list[tuple[str, str]]] = {
        heading: [] for heading in (WHAT, WHERE, PRECISION, OUTPUT, ADVANCED)
    }
    for option in options:
        if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
            sections[getattr(option, "heading", OUTPUT)].append(record)
    for heading, records in sections.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)


class Declared(NamedTuple):
    """An option or argument: it stands as the default of the parameter that gets its value."""

    make: Callable[..., Callable[..., Any]]
    names: tuple[str, ...]
    settings: dict[str, Any]

    def added(self, function: Callable[..., Any], parameter: str, annotation: Any) -> Any:
        """Return the function with this for a parameter, whose annotation says the type."""
        if self.make is click.argument:
            several = annotation in (tuple[str, ...], tuple[Path, ...])
            settings = {"nargs": -1 if several else 1, **self.settings}
            return click.argument(parameter, **settings)(function)
        usual = next((_USUAL[kind] for kind in _USUAL if annotation in (kind, kind | None)), {})
        settings = {**usual, **self.settings}
        if settings.get("is_flag"):
            settings["show_default"] = False
        names = self.names or (f"--{parameter.replace('_', '-')}",)
        return click.option(*names, parameter, **settings)(function)


class _PathType(click.Path):
    """A path that is not empty: an empty variable of a shell does not mean the present folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            self.fail("it is empty: name a path", param, ctx)
        return super().convert(value, param, ctx)


PATH = _PathType(path_type=Path)
FILE = _PathType(path_type=Path, dir_okay=False)
FOLDER = _PathType(path_type=Path, file_okay=False)
_USUAL: dict[Any, dict[str, Any]] = {
    bool: {"is_flag": True},
    int: {"type": int},
    float: {"type": float},
    tuple[str, ...]: {"multiple": True},
    Path: {"type": FILE},
}


def declared(
    name: str | None = None, options: Mapping[str, Declared] | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return what makes a command of a function, whose parameters' defaults are its options.

    A function with `**chosen` has the `options` too. A first parameter `ctx` gets the context.
    """

    def make(function: Any) -> Any:
        parameters = inspect.signature(function, eval_str=True).parameters
        if "ctx" in parameters:
            function = click.pass_context(function)
        for each in reversed(list(parameters.values())):
            if isinstance(each.default, Declared):
                function = each.default.added(function, each.name, each.annotation)
        for parameter, each in reversed(list((options or {}).items())):
            function = each.added(function, parameter, str)
        command: Any = click.command(name, **settings)
        return command(function)

    return make


def option(help: str, spelled: str = "", **settings: Any) -> Any:
    """Return an option: its help, and how it is written, such as `--bytes SIZE`.

    Without a name it has the parameter's. One that is true or false has no value. A default is
    shown in the help, an empty one not.
    """
    words = spelled.split(" ")
    names = tuple(word for word in words if word.startswith("-"))
    settings.setdefault("metavar", " ".join(words[len(names) :]) or None)
    settings.setdefault("show_default", settings.get("default") not in (None, ""))
    return Declared(click.option, names, {"help": help, **settings})


def headed(heading: str, help: str, spelled: str = "", **settings: Any) -> Any:
    """Return an option that is listed under the heading."""
    return option(help, spelled, cls=HeadedOption, heading=heading, **settings)


def argument(metavar: str = "", **settings: Any) -> Any:
    """Return an argument."""
    return Declared(click.argument, (), {"metavar": metavar or None, **settings})


def html_option(help: str) -> Any:
    """Return the option that names an HTML file, refused at once where pages cannot be made."""
    return option(help, type=FILE, callback=_require_report)


class Shared:
    """Options that several commands have."""

    json = option("Print one JSON object.", "--json")
    mpi = option("An MPI as `leadline mpi` lists it.", "NAME", shell_complete=complete_mpis)
    hosts = option("Hosts to use instead of this machine.", "HOST,...")
    remote_shell = option("What starts a command on a host, such as ssh.", "COMMAND")
    bind = option("Bind each rank to one core.", "--bind/--no-bind", default=True)
    oversubscribe = option("Allow more processes than cores.")
    prometheus = option("Write what was found for Prometheus, too.")
    runs = option(
        "Folder that holds the runs  [default: runs in LEADLINE_HOME]",
        "DIR",
        type=FOLDER,
        default=paths.runs,
        show_default=False,
    )
    same_within = option("Treat differences up to this as equal.", "PERCENT", default="5%")
    anyway = headed(WHERE, "Measure without asking, however busy the machine is.", is_flag=True)
    fail_if = option(
        "Exit with status 1 if figures are slower, faster or changed (by PERCENT or more), "
        "unverified or missing; may be repeated.",
        "WHAT[:PERCENT]",
        multiple=True,
    )


def _require_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        require("report")
    return path


def write(output: str | None, writer: Callable[[BinaryIO], object]) -> None:
    """Let `writer` write to the file `output`, whole or not at all.

    None and `-` are standard output. A pipe or a device is written to, never replaced. Raises
    `UserError` where that fails.
    """
    if output in (None, "-"):
        with writing(Path("standard output")):
            writer(sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with writing(path), path.open("wb") as stream:
            writer(stream)
    else:
        with replacing(path) as partial, partial.open("wb") as stream:
            writer(stream)


def write_text(path: Path, text: str) -> None:
    """Write a whole file, and the folder that it is in. Raises `UserError`."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def say(text: str) -> None:
    """Tell the user on standard error."""
    click.echo(f"leadline: {text}", err=True)


def print_json(value: object, *, indent: int = -1) -> None:
    """Print a value as JSON for programs: on one line, or indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=indent))


def check_writable(path: Path | None) -> None:
    """Raise `UserError` where the file cannot be written; None always can. No file is made."""
    if path is None:
        return
    new = not path.exists()
    try:
        with path.open("a"):
            pass
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}: choose another file") from error
