"""The explanation of a kind of finding, and the list of all kinds, for a terminal."""

from collections.abc import Iterable

from leadline.analysis.findings.rule import Explanation
from leadline.output.terminal.console import console_for
from leadline.output.terminal.findings import TOPICS


def print_explanation(one: Explanation) -> None:
    """Print definition, evidence, cure and source of a kind."""
    from rich.text import Text

    console = console_for(None)
    console.print(Text.assemble((one.kind, "bold"), f"  ({TOPICS[one.topic]})"))
    console.print(Text(one.definition))
    for paragraph in filter(None, one.background.split("\n\n")):
        console.print(Text(" ".join(paragraph.split())))
    parts = {
        "Evidence": [f"  {name}: {meaning}" for name, meaning in one.evidence.items()],
        "What to do": [one.cure.replace("`", "")],
        "Source": [one.source] if one.source else [],
    }
    for heading, lines in parts.items():
        if lines:
            console.print(Text(f"\n{heading}", "bold"))
            console.print(Text("\n".join(lines)))


def print_kinds(every: Iterable[Explanation]) -> None:
    """Print all kinds with their definitions, under the question that each answers."""
    from rich.text import Text

    console = console_for(None)
    known = list(every)
    for topic, question in TOPICS.items():
        console.print(Text(question, "bold"))
        for one in known:
            if one.topic == topic:
                console.print(Text(f"  {one.kind:22} {one.definition}"), soft_wrap=True)
