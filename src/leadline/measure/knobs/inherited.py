"""The variables that an MPI inherits and that configure it, with the place that sets each."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from leadline.model.installation import Installation
from leadline.model.software import Variable
from leadline.site.hardware.files import Files

OF_THE_SYSTEM = "/etc/environment"
# The words of names that may hold a secret, in either case.
SECRET_WORDS = "SECRET|TOKEN|PASSW|CREDENTIAL"
_SECRET = re.compile(SECRET_WORDS, re.IGNORECASE)


class ParameterFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that sets variables too: `{etc}` is the installation's own folder for such files.

    Its keys are variables without `prefix`.
    """

    path: str
    prefix: str = ""


class Reader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A library or program that reads variables with these `prefixes`.

    Those that begin with one of `internal`, the longer beginning deciding, configure nothing.
    `files` are read in their order, the first value counts; by `families` alone where named.
    """

    prefixes: tuple[str, ...]
    internal: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    files: tuple[ParameterFile, ...] = ()

    def configured_by(self, name: str) -> bool:
        """Tell whether the variable `name` configures the reader."""
        return _longest(name, self.prefixes) > _longest(name, self.internal)


@cache
def readers() -> tuple[Reader, ...]:
    """Return every reader that `inherited.toml` has."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return msgspec.convert(table["readers"], tuple[Reader, ...])


def all_prefixes() -> tuple[str, ...]:
    """Return the beginnings of every variable that some reader reads or sets for others."""
    return tuple(prefix for each in readers() for prefix in (*each.prefixes, *each.internal))


def inherited(
    installations: Iterable[Installation],
    environment: Mapping[str, str],
    files: Files | None = None,
) -> list[Variable]:
    """Return the variables that configure `installations` and what is below them, by name.

    What a file sets and the environment too is the environment's. Variables that by their name
    may hold a secret are left out.
    """
    files = files or Files()
    system = dict(parameters(files.text(OF_THE_SYSTEM) or ""))
    found = {
        (name, value): Variable(
            name=name,
            value=value,
            source=OF_THE_SYSTEM if system.get(name) == value else "environment",
        )
        for name, value in environment.items()
        if any(reader.configured_by(name) for reader in readers())
    }
    for installation in installations:
        of_files: dict[str, Variable] = {}
        for path, prefix in parameter_files(installation, environment):
            for key, value in parameters(files.text(path) or ""):
                of_files.setdefault(
                    prefix + key, Variable(name=prefix + key, value=value, source=path)
                )
        for name, variable in of_files.items():
            if name not in environment:
                found.setdefault((name, variable.value), variable)
    return [found[key] for key in sorted(found) if not _SECRET.search(key[0])]


def parameter_files(
    installation: Installation, environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the paths that the installation's readers read, and what stands before their keys."""
    home = environment.get("HOME") or os.devnull
    configured = installation.built.get("configure", "")
    etc = [f"{installation.prefix}/etc", *re.findall(r"--sysconfdir=([^\s']+)", configured)][-1]
    for reader in readers():
        if not reader.families or installation.family in reader.families:
            for file in reader.files:
                path = file.path.replace("~", home).format(etc=etc)
                yield path, file.prefix


def parameters(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the keys and values of a file of `KEY = VALUE` lines; # begins a comment.

    >>> list(parameters("# all\nbtl = self,tcp  # two\n"))
    [('btl', 'self,tcp')]
    """
    for line in text.splitlines():
        key, equals, value = line.partition("#")[0].partition("=")
        if equals and key.strip():
            yield key.strip(), value.strip().strip("\"'")


def _longest(name: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if name.startswith(prefix)), default=0)
