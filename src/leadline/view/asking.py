"""Asking a batch system's program for rows of text that its users cannot forge."""

import secrets

from leadline.programs import ask
from leadline.view.source import NoAnswer

# A view is looked at: who waits longer than this wants to know that nothing comes.
LIMIT_S = 20.0


def answer(system: str, argv: list[str], advice: str) -> str:
    """Return what the program prints.

    Raises `NoAnswer` with the program's own first words and `advice` where it fails or hangs.
    """
    said = ask(argv, LIMIT_S)
    if said.status:
        lines = [line.strip() for line in said.errors.splitlines() if line.strip()]
        words = lines[0] if lines else f"status {said.status}"
        raise NoAnswer(f"{system} does not answer: {argv[0]}: {words[:200]} ({advice})")
    return said.output


class Rows:
    """Fields joined and rows ended by marks that are made anew for each question.

    A job may be called anything, line breaks included; nobody can put a mark into a name that is
    chosen after it.
    """

    def __init__(self) -> None:
        token = secrets.token_hex(8)
        self._between, self._end = f"<{token}|", f"|{token}>"

    def form(self, fields: str) -> str:
        """Return a format of Slurm's for one row: a letter stands for each field."""
        return self._between.join(f"%{letter}" for letter in fields) + self._end

    def read(self, text: str, count: int) -> list[list[str]]:
        """Return the rows that have `count` fields; one that was cut is left out."""
        rows = (row.removeprefix("\n") for row in text.split(self._end)[:-1])
        split = (row.split(self._between) for row in rows)
        return [row for row in split if len(row) == count]
