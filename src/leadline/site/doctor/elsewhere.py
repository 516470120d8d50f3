"""The checks that need nothing but a few files, made for a node that sent these files.

Such a check has `files`: the paths that it reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks import CHECKS
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files
from leadline.site.hardware.processors import CPU


def wanted_files() -> tuple[str, ...]:
    """Return the patterns of all files that `examine_elsewhere` looks at, each once."""
    every = [pattern for check in CHECKS for pattern in check.files]
    return tuple(dict.fromkeys(every))


def examine_elsewhere(sent: Mapping[str, Mapping[str, str]]) -> list[CheckResult]:
    """Return what the checks find on a node by the files that it sent.

    `sent` has for each pattern the texts of the files, and for each text what the `*` is in the
    files that have it, joined by blanks. A check without any of its files finds nothing. The node
    is judged as a whole: as for a job that may use every processor.
    """
    system = System(
        files=sent_files(sent),
        user="",
        environment={},
        shared_memory=_not_sent,
        read_neighbour=_not_sent,
        clock_read_s=lambda: None,
        observe=_not_observed,
    )
    return [check.result(system) for check in CHECKS if sent.keys() & set(check.files)]


def sent_files(sent: Mapping[str, Mapping[str, str]]) -> Files:
    """Return the files that a node sent, which are by pattern as for `examine_elsewhere`."""
    return SentFiles(texts=_expanded(sent))


@dataclass(frozen=True)
class SentFiles(Files):
    """Files of another machine: `texts` has what is in each, by its path."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def text(self, path: str) -> str | None:
        """Return what the file has, or None where it was not sent."""
        return self.texts.get(path)

    def names(self, folder: str) -> list[str]:
        """Return the sorted names in the folder, as far as files below it were sent."""
        below = folder.rstrip("/") + "/"
        inside = (path[len(below) :] for path in self.texts if path.startswith(below))
        return sorted({path.partition("/")[0] for path in inside})

    def exists(self, path: str) -> bool:
        """Tell whether the file, or any below that folder, was sent."""
        return path in self.texts or bool(self.names(path))


def _expanded(sent: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the text of each file by its path."""
    found = {
        pattern.replace("*", part): text
        for pattern, texts in sent.items()
        for text, parts in texts.items()
        for part in (parts.split() if "*" in pattern else [""])
    }
    # A rank may be bound to one processor: what counts is the node.
    online = found.get(f"{CPU}/online")
    if online:
        found["/proc/self/status"] = f"Cpus_allowed_list:\t{online}"
    return found


def _not_sent() -> NoReturn:
    raise LookupError("another node was asked for its files only")


def _not_observed(_files: Files) -> NoReturn:
    _not_sent()
