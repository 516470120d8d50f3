"""Compilers: the kinds of `compilers.toml`, and those on the PATH."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from leadline.site.programs import Answers, fingerprint

Language = Literal["c", "c++", "fortran"]


class Compiler(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of compiler; `compilers.toml` says what its fields mean."""

    name: str
    programs: dict[Language, tuple[str, ...]]
    version: str
    options: tuple[str, ...] = ()


class FoundCompiler(msgspec.Struct, frozen=True, kw_only=True):
    """A compiler on this machine, called after its kind and version, with its drivers."""

    name: str
    kind: Compiler
    programs: dict[Language, str]

    def fingerprint(self, language: Language) -> str:
        """Return a text that changes with the driver of that language."""
        return f"{self.name} {fingerprint(Path(self.programs[language]))}"


@cache
def kinds() -> dict[str, Compiler]:
    """Return every kind of compiler that is known, by name."""
    table = tomllib.loads(Path(__file__).with_name("compilers.toml").read_text())
    return {name: msgspec.convert({"name": name, **kind}, Compiler) for name, kind in table.items()}


def kind_named(text: str) -> str | None:
    """Return the kind of compiler that `text` names, with its version if it has one.

    >>> kind_named("gcc"), kind_named("flang-new"), kind_named("g++-13"), kind_named("*")
    ('gcc', 'flang', 'gcc-13', None)
    """
    match = re.fullmatch(r"(.+?)(-\d+(?:\.\d+)*)?", text)
    if match:
        # Vendors give LLVM's names to compilers of their own.
        for kind in sorted(kinds().values(), key=lambda kind: not text.startswith(kind.name)):
            if match[1] == kind.name or any(match[1] in each for each in kind.programs.values()):
                return kind.name + (match[2] or "")
    return None


def find_compilers(environment: Mapping[str, str] | None = None) -> dict[str, FoundCompiler]:
    """Return the compilers on the PATH by name: each kind, the plain program's version first."""
    environment = os.environ if environment is None else environment
    programs = programs_on(environment.get("PATH", os.defpath))
    answers = Answers()
    found: dict[str, FoundCompiler] = {}
    for kind in kinds().values():
        for there in drivers(kind, programs):
            first = next(iter(there.values()))
            output = answers.ask(Path(first), [first, "--version"], environment)
            if match := re.search(kind.version, output, re.M):
                name = f"{kind.name}-{match[1]}"
                found.setdefault(name, FoundCompiler(name=name, kind=kind, programs=there))
    answers.keep()
    return found


def programs_on(path: str) -> dict[str, str]:
    """Return the path of each program by its name, as a shell would find it."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(path.split(":")):
        try:
            names = [entry.name for entry in os.scandir(folder or ".")]
        except OSError:
            continue
        for name in names:
            found.setdefault(name, str(Path(folder) / name))
    return found


def drivers(kind: Compiler, programs: Mapping[str, str]) -> Iterator[dict[Language, str]]:
    """Yield the drivers of each version that may be there, first that without a suffix."""
    wanted = {name for names in kind.programs.values() for name in names}
    pattern = re.compile(rf"({'|'.join(map(re.escape, sorted(wanted)))})(-\d+(?:\.\d+)*)?")
    matches = (pattern.fullmatch(name) for name in programs)
    suffixes = {match[2] or "" for match in matches if match}
    for suffix in sorted(suffixes, key=lambda text: [int(n) for n in re.findall(r"\d+", text)]):
        by_language = {
            language: next(
                (programs[name + suffix] for name in names if name + suffix in programs), None
            )
            for language, names in kind.programs.items()
        }
        there = {language: path for language, path in by_language.items() if path}
        if there:
            yield there
