"""Findings alone, for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from leadline.model.summary import Finding
from leadline.output.terminal.summary import console_for, print_findings
from leadline.output.terminal.text import printable

_ALIKE = 3


def print_findings_of(
    subject: str, findings: Sequence[Finding], everything: bool, file: TextIO | None = None
) -> None:
    """Print the findings of a run or file under its name, the gravest first.

    Of a kind that repeats itself the first three, or `everything`. On `file` (default: stdout), at
    most 100 columns wide.
    """
    from rich.text import Text

    console = console_for(file)
    console.print(Text(printable(subject), style="bold"))
    alike = sys.maxsize if everything else _ALIKE
    print_findings(console, findings, alike, "give --kind to see them")
    if not findings:
        console.print("nothing to tell")
    console.print()
