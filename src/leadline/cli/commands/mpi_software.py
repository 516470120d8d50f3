"""`leadline mpi software`: the software of this machine, and in what two differ."""

from pathlib import Path

import click
import msgspec

from leadline.cli.options import Shared, argument, declared, option, print_json, write
from leadline.core.errors import UserError
from leadline.model.software import Software
from leadline.output.terminal import software as shown
from leadline.output.terminal.software import changed, compared_line
from leadline.output.terminal.table import print_table
from leadline.output.terminal.text import printable
from leadline.site.software.records import of_run, read
from leadline.store.folder import RunFolder


@declared()
def command(
    ctx: click.Context,
    program: str | None = argument(required=False),
    pid: int | None = option("Show what this process has loaded.", "PID"),
    save: str | None = option("Write what was found to FILE, for --against and --diff.", "FILE"),
    against: str | None = option("Show only differences from a saved file or a run.", "FILE|RUN"),
    diff: tuple[str, str] | None = option(
        "Show only differences between two saved files or runs.", "BASE OTHER", nargs=2
    ),
    fail_if_different: bool = option("Exit with status 1 where anything differs."),
    as_json: bool = Shared.json,
    runs: Path = Shared.runs,
) -> None:
    """List compilers, MPIs and libraries, with versions.

    Each compiler, MPI, OpenSHMEM, BLAS and module is listed with its version, which one is the
    default, and why. With PROGRAM: which libraries it would load, of which package, and because of
    what. The loader is asked; the program is not started.
    """
    if program is not None and pid is not None:
        raise UserError("name a program or a process with --pid, not both")
    if diff and (program is not None or pid is not None):
        raise UserError("--diff compares two that are kept: leave out the program or --pid")
    if diff and (save or against):
        raise UserError(
            f"--diff compares two that are kept: leave out --{'save' if save else 'against'}"
        )
    if fail_if_different and not (diff or against):
        raise UserError(
            "--fail-if-different needs something to differ from: add --against or --diff"
        )
    base = _read_software(diff[0] if diff else against, runs) if diff or against else None
    other = _read_software(diff[1], runs) if diff else _find_software(program, pid)
    if save:
        _save(other, save)
    if base is None:
        _show(other, as_json)
        return
    different = _compare(base, other, as_json)
    ctx.exit(1 if different and fail_if_different else 0)


def _find_software(program: str | None, pid: int | None) -> Software:
    from leadline.site.software.dependencies import of_process, of_program
    from leadline.site.software.inventory import look

    if program is not None:
        return of_program(program)
    if pid is not None:
        return of_process(pid)

    return look()


def _read_software(word: str | None, runs: Path) -> Software:
    path = Path(word or "")
    if path.is_file():
        return read(path)
    try:
        folder = RunFolder.open(word or "", runs)
    except UserError as error:
        raise UserError(
            f"{word!r} is neither a file of `leadline mpi software --save` nor a run: {error}"
        ) from None
    return of_run(folder.read())


def _save(software: Software, file: str) -> None:
    data = msgspec.json.format(msgspec.json.encode(software), indent=1) + b"\n"
    write(file, lambda stream: stream.write(data))


def _show(software: Software, as_json: bool) -> None:
    if as_json:
        print_json(software)
        return

    if software.of:
        print_table(shown.libraries(software))
        for line in shown.mpi_lines(software):
            click.echo(line)
    else:
        print_table(shown.items(software))
        if (defaults := shown.defaults(software)).rows:
            print_table(defaults)
    for line in software.remarks:
        click.echo(printable(f"note: {line}"))


def _compare(base: Software, other: Software, as_json: bool) -> bool:
    from leadline.analysis.compare.differences import software_changes

    changes = software_changes(base, other)
    if as_json:
        click.echo(
            msgspec.json.encode(
                {"base": _to_fields(base), "other": _to_fields(other), "changes": changes}
            )
        )
        return bool(changes)

    click.echo(compared_line(base, other, len(changes)))
    if changes:
        print_table(changed(changes))
    return bool(changes)


def _to_fields(software: Software) -> dict[str, object]:
    return {
        "host": software.host,
        "time": software.time,
        "of": software.of,
        "kinds": software.kinds,
    }
