"""What a command looks at: a run by name, a run folder, or a file of another program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadline.model.run import Run
from leadline.store.folder import RunFolder

if TYPE_CHECKING:
    from leadline.model.samples import Columns, SampleSource


class Subject(NamedTuple):
    """A run with its samples; one that was imported has none. `folder` is None for a file."""

    run: Run
    samples: SampleSource
    folder: RunFolder | None


def subject(word: str, runs: Path) -> Subject:
    """Return what `word` means: a file to import, or what `RunFolder.open` takes.

    Raises `UserError` where it means nothing.
    """
    from leadline.store.samples import StoredSamples

    if Path(word).is_file():
        from leadline.exchange.imports.collect import import_files

        return Subject(import_files([Path(word)]), _NoSamples(), None)
    folder = RunFolder.open(word, runs)
    return Subject(folder.read(), StoredSamples(folder), folder)


class _NoSamples:
    """The samples of a file that holds none."""

    def columns(self, point: int) -> Columns:
        raise LookupError(f"an import has no samples of point {point}")
