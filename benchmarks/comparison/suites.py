"""The command `benchmarks/suites`: other projects' tests without leadline, and under it."""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from comparison.started import start as start_command
from comparison.suite_launches import LIBRARY, WAYS, Outcome, Suite, launched, prepared
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.site.mpi.choice import choose_one

# A test that ends in another way than under the library alone is started again, both ways, with
# more patience, and differs if it does so each time.
_AGAIN, _MORE_PATIENCE = 2, 3


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--mpi", default="mpich", show_default=True)
@click.option("--ranks", "numbers", default="2", show_default=True, help="Such as 2,3,4,8.")
@click.option("--ways", default=",".join(WAYS), show_default=True)
@click.option("--folders", default="", help="Only tests in these, such as coll,comm.")
@click.option("--match", default="*", show_default=True, help="Pattern of the tests' names.")
@click.option("--before", default="", help="What starts a test, such as `python3`.")
@click.option("--says", default="", help="What a test prints that passes, such as 'No Errors'.")
@click.option("--patience", type=click.FloatRange(1), default=60, show_default=True,
              help="Seconds for each test.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    folder: Path,
    mpi: str,
    numbers: str,
    ways: str,
    folders: str,
    match: str,
    before: str,
    says: str,
    patience: float,
    json_file: Path | None,
) -> None:
    """Count the tests in FOLDER that pass without leadline, and under it in several ways.

    FOLDER holds the programs of a suite that was built, in folders of its own. Ways: `shared`
    replaces every collective that the runtime can, `learning` tries algorithms without a profile,
    `explain` observes; communicators are adopted at their first collective. The ways of one
    test start together, as long as a core has no more than four ranks. Exit status 1 where a test
    ends otherwise under leadline. Ctrl-C prints what is there so far.
    """
    chosen = ways_of(ways)
    counts = ranks_of(numbers)
    installation = choose_one(mpi)
    suite = Suite(folder.resolve(), tuple(before.split()), says, patience)
    tests = suite.tests(match, tuple(filter(None, folders.split(","))))
    if not tests:
        raise UserError(f"no test in {folder}: build the suite first, or see --match, --folders")
    found: dict[tuple[str, int, str], Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="leadline-suites-") as scratch:
        settings = prepared(installation, chosen, Path(scratch), _say)
        try:
            for ranks in counts:
                for number, test in enumerate(tests, 1):
                    ended = launched(suite, test, ranks, installation, settings)
                    late = differing(ended)
                    for again in range(_AGAIN if late else 0):
                        some = {way: settings[way] for way in (LIBRARY, *late)}
                        longer = suite.patient(_MORE_PATIENCE * (again + 1))
                        ended |= launched(longer, test, ranks, installation, some)
                        late = differing(ended)
                        if not late:
                            break
                    found |= {(test, ranks, way): each for way, each in ended.items()}
                    note = f"; differs under {', '.join(late)}" if late else ""
                    _say(f"{number} of {len(tests)}, {ranks} ranks: {test}{note}")
        except KeyboardInterrupt:
            _say("interrupted")
    for line in lines(found):
        click.echo(line)
    if json_file:
        rows = [
            {"test": test, "ranks": ranks, "way": way, "passed": each.passed, "how": each.how}
            for (test, ranks, way), each in found.items()
        ]
        json_file.write_text(json.dumps(rows, indent=1) + "\n")
    if not any(each.passed for (_, _, way), each in found.items() if way == LIBRARY):
        first = next(iter(found.values()), None)
        raise UserError(f"no test passes without leadline: {first.how if first else 'none ended'}")
    if differences(found):
        sys.exit(1)


def ways_of(words: str) -> tuple[str, ...]:
    """Return the ways that the option names. Raises `UserError` for one that there is not."""
    names = tuple(filter(None, words.split(",")))
    for name in names:
        if name not in WAYS:
            raise UserError(f"--ways: no {name!r}{suggestion(name, WAYS)}; ways: {', '.join(WAYS)}")
    if not names:
        raise UserError(f"--ways: name at least one of {', '.join(WAYS)}")
    return names


def ranks_of(words: str) -> tuple[int, ...]:
    """Return the numbers of ranks. Raises `UserError` for anything else."""
    try:
        numbers = tuple(int(each) for each in words.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise UserError(f"--ranks {words}: numbers of ranks are right, such as 2,3,4,8")
    return numbers


def differing(ended: dict[str, Outcome]) -> list[str]:
    """Return the ways in which a test ended otherwise than under the library alone."""
    plain = ended[LIBRARY]
    return [way for way, each in ended.items() if not each.is_like(plain)]


def differences(found: dict[tuple[str, int, str], Outcome]) -> list[str]:
    """Return a line for each test that ends otherwise under leadline."""
    return [
        f"{test}, {ranks} ranks, {way}: {each.how}; without leadline {plain.how}"
        for (test, ranks, way), each in found.items()
        if not each.is_like(plain := found[test, ranks, LIBRARY])
    ]


def lines(found: dict[tuple[str, int, str], Outcome]) -> list[str]:
    """Return the table of what passed, by folder and ranks, and the tests that differ."""
    ways = list(dict.fromkeys(way for _, _, way in found))
    groups = list(dict.fromkeys((Path(test).parent.as_posix(), n) for test, n, _ in found))
    rows = [f"| tests | ranks | started | {' | '.join(ways)} |", "|---" * (3 + len(ways)) + "|"]
    for group, ranks in groups:
        members = [
            (way, each)
            for (test, number, way), each in found.items()
            if (Path(test).parent.as_posix(), number) == (group, ranks)
        ]
        started = sum(way == LIBRARY for way, _ in members)
        passed = [str(sum(each.passed for name, each in members if name == way)) for way in ways]
        rows.append(f"| {group} | {ranks} | {started} | {' | '.join(passed)} |")
    return [*rows, "", *(differences(found) or ["no test differs"])]


def _say(text: str) -> None:
    click.echo(f"suites: {text}", err=True)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command with the words of the command line."""
    if words is not None:
        sys.argv[1:] = words
    os.environ.setdefault("NO_COLOR", "1")
    start_command(command, "suites")


if __name__ == "__main__":
    main()
