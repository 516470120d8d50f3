"""Asking a batch system's program for rows of text that its users cannot forge."""

import os
import secrets
from collections.abc import Mapping

from leadline.core.subprocesses import NOT_HERE, Said, ask
from leadline.site.schedulers.job_source import NoAnswer

# A view is looked at: who waits longer than this wants to know that nothing comes.
LIMIT_S = 20.0
# Variables by which people make Slurm's programs show less, and in other formats.
_NARROWING = ("SQUEUE_", "SINFO_")


def answer(system: str, argv: list[str], advice: str) -> str:
    """Return what the program prints.

    Raises `NoAnswer` with the program's own first words and `advice` where it fails or hangs.
    """
    said = asked(argv)
    if said.status:
        raise failure(system, argv, said, advice)
    return said.output


def failure(system: str, argv: list[str], said: Said, advice: str) -> NoAnswer:
    """Return what to raise for a program that failed: one line."""
    lines = [line.strip() for line in said.errors.splitlines() if line.strip()]
    words = lines[0][:200] if lines else f"status {said.status}"
    words = words.removeprefix(f"{argv[0]}: ").removeprefix("error: ")
    more = "" if words == NOT_HERE else f" ({advice})"
    return NoAnswer(f"{system} does not answer: {argv[0]}: {words}{more}")


def asked(argv: list[str]) -> Said:
    """Return what the program says of all jobs and nodes, however it ends."""
    whole = {name: value for name, value in os.environ.items() if not name.startswith(_NARROWING)}
    return ask(argv, LIMIT_S, whole)


class Rows:
    """Fields joined and rows ended by marks that are made anew for each question.

    `fields` holds the letter of Slurm's formats for each name. A job may be called anything, line
    breaks included; nobody can put a mark into a name that was chosen before it.
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        token = secrets.token_hex(8)
        self._names = tuple(fields)
        self._between, self._end = f"<{token}|", f"|{token}>"
        self.form = self._between.join(f"%{letter}" for letter in fields.values()) + self._end

    def read(self, text: str) -> list[dict[str, str]]:
        """Return the rows by name of field; one that was cut is left out."""
        rows = (row.removeprefix("\n").split(self._between) for row in text.split(self._end)[:-1])
        return [
            dict(zip(self._names, row, strict=True)) for row in rows if len(row) == len(self._names)
        ]
