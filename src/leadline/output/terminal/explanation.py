"""The explanation of a kind of finding, and the list of all kinds, for a terminal."""

from collections.abc import Iterable

from leadline.analysis.findings.explanation import QUESTIONS, Explanation
from leadline.output.terminal.text import console_for


def print_explanation(one: Explanation) -> None:
    """Print definition, evidence, cure and source of a kind."""
    from rich.padding import Padding
    from rich.text import Text

    console = console_for()
    console.print(Text.assemble((one.kind, "bold"), f"  ({QUESTIONS[one.topic]})"))
    console.print(Text(one.definition))
    for paragraph in filter(None, one.background.split("\n\n")):
        console.print(Text(" ".join(paragraph.split())))
    if one.evidence:
        console.print(Text("\nEvidence", "bold"))
        for name, meaning in one.evidence.items():
            console.print(Padding(Text(f"{name}: {meaning}"), (0, 0, 0, 2), expand=False))
    console.print(Text("\nWhat to do", "bold"))
    console.print(Padding(Text(one.cure.replace("`", "")), (0, 0, 0, 2), expand=False))
    if one.source:
        console.print(Text("\nSource", "bold"))
        console.print(Padding(Text(one.source), (0, 0, 0, 2), expand=False))


def print_kinds(every: Iterable[Explanation]) -> None:
    """Print all kinds with their definitions, under the question that each answers."""
    from rich.text import Text

    console = console_for()
    known = list(every)
    for topic, question in QUESTIONS.items():
        console.print(Text(question, "bold"))
        for one in known:
            if one.topic == topic:
                console.print(Text(f"  {one.kind:22} {one.definition}"), soft_wrap=True)
