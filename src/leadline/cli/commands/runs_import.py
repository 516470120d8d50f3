"""`leadline runs import`: figures that other programs measured."""

from pathlib import Path

import click
import msgspec

from leadline.cli.explaining import of_run
from leadline.cli.options import PATH, Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.model.placement import parse_placement
from leadline.model.recorded import Recorded
from leadline.model.run import Run
from leadline.output.table import table_of
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

_REMARKS = {"lost": "not read", "passed": "passed over", "assumed": "assumed"}


@declared()
def command(
    ctx: click.Context,
    files: tuple[Path, ...] = argument("FILE...", type=PATH),
    form: str = option("Format of the files  [default: recognised]", "--format FORMAT", default=""),
    formats: bool = option("List the formats."),
    mapping: Path | None = option("Meaning of the columns of a table, in TOML."),
    name: str = option("Name of the run  [default: the first file's].", default=""),
    mpi: str = option("The MPI, if the files do not name it.", "NAME", default=""),
    place: str = option(
        "Where the processes ran, such as 2x1,2x4: one for each number of processes.",
        "NODESxPROCESSES,...",
        default="",
    ),
    as_launches: bool = option("Take equal figures of several tables as launches."),
    split: bool = option("Keep equal figures of several tables apart."),
    as_json: bool = Shared.json,
    runs: Path = Shared.runs,
) -> None:
    """Read results of IMB, OSU and other programs.

    They are kept as a run. Several files of one command are several launches of it. A report of
    mpiP becomes a recording of a program. Exit status: 0 all was read, 1 some lines were not, 2
    nothing was.
    """
    from leadline.exchange.imports.collect import import_files
    from leadline.exchange.imports.same_figures import Same
    from leadline.library.runs import OpenRun

    if formats:
        _list_formats(as_json)
        return
    if not files:
        raise UserError(
            "import needs a file: `leadline runs import --formats` lists what can be read"
        )
    if as_launches and split:
        raise UserError("--as-launches and --split exclude each other: give one of them")
    same: Same = "launches" if as_launches else "split" if split else "told"
    places = [parse_placement(one) for one in place.split(",")] if place else []
    run = import_files(files, form, mapping, name, mpi, places, same)
    if run.explained:
        run.explained = _with_headline(run, run.explained)
    folder = RunFolder.create(runs, name or run.run)
    run.run = folder.name
    folder.finish(run)
    if not run.explained:
        OpenRun(folder.read(), StoredSamples(folder), folder).keep_grade()
    (_print_json if as_json else _print)(run, folder)
    if run.outcome.state != "complete":
        ctx.exit(1)


def _with_headline(run: Run, recorded: Recorded) -> Recorded:
    from leadline.output.program_time import headline

    return msgspec.structs.replace(recorded, headline=headline(of_run(None, run, Path())))


def _list_formats(as_json: bool) -> None:
    from leadline.exchange.imports.collect import READERS
    from leadline.output.terminal.table import print_table

    if as_json:
        listed = [{"name": one.name, "title": one.title} for one in READERS]
        print_json({"formats": listed}, indent=2)
    else:
        print_table(table_of(("format", "of"), ((one.name, one.title) for one in READERS)))


def _print_json(run: Run, folder: RunFolder) -> None:
    imported = run.imported
    assert imported
    content = {
        "run": run.run,
        "folder": str(folder.path),
        "outcome": run.outcome,
        "program": imported.program,
        "files": imported.files,
        "source": imported.source,
        "when": imported.when,
        "points": imported.figures,
        "tables": imported.tables,
        "bounds": imported.bounds,
        "remarks": imported.remarks,
        "profile": imported.profile,
    }
    print_json(content, indent=2)


def _print(run: "Run", folder: "RunFolder") -> None:
    from leadline.exchange.imports.collect import contents
    from leadline.output.terminal.table import print_table

    imported = run.imported
    assert imported
    dated = f", of {imported.when}" if imported.when else ""
    click.echo(f"{run.run}: {imported.program or 'tables'}{dated}")
    rows = contents(imported)
    if rows:
        columns = ("benchmark", "series", "statistic", "places", "bytes", "figures")
        print_table(table_of(columns, rows))
    for table in imported.tables:
        click.echo(f"table {table.name}: {len(table.rows)} rows")
    if profile := imported.profile:
        places = count(len(profile.calls), "place")
        click.echo(f"{count(len(profile.ranks), 'rank')}, calls from {places}")
    for remark in imported.remarks:
        where = f"{remark.file}:{remark.line}" if remark.line else remark.file
        click.echo(f"{_REMARKS[remark.kind]}: {where}: {remark.text}")
    what = "where the time went" if imported.profile else "the figures"
    click.echo(f"`leadline show {run.run}` shows {what}")
