"""What PBS's programs list: as JSON, which some versions lack or spoil, else as text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from leadline.site.schedulers.job_source import answer, ask_all, failure

Facts = Mapping[str, str]

_ADVICE = "`qstat -B` says whether its server is up"
_HUNG_OR_MISSING = 127


def list_facts(argv: list[str], key: str) -> dict[str, Facts]:
    """Return facts by name of job or node; those within others are called `a.b`, as in the text.

    `key` is what JSON calls all of them. Raises `NoAnswer`.
    """
    said = ask_all([*argv, "-F", "json"])
    if said.status == _HUNG_OR_MISSING:
        raise failure("PBS", argv, said, _ADVICE)
    found = None if said.status else from_json(said.output, key)
    return from_text(answer("PBS", argv, _ADVICE)) if found is None else found


def from_json(text: str, key: str) -> dict[str, Facts] | None:
    """Return what a JSON answer lists, None where it is not JSON: names in it are not escaped."""
    if not text.strip():
        return {}
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    found = whole.get(key, {}) if isinstance(whole, dict) else {}
    return {name: dict(_flat(facts)) for name, facts in found.items() if isinstance(facts, dict)}


def _flat(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", str(each)) for inner, each in value.items())
        else:
            yield name, str(value)


def from_text(text: str) -> dict[str, Facts]:
    r"""Return what a text lists: a name at the beginning of a line, and facts that are indented.

    >>> from_text("Job Id: 7.s\n    Job_Name = a\n\tb\n\nJob Id: 8.s\n    queue = q\n")
    {'7.s': {'Job_Name': 'ab'}, '8.s': {'queue': 'q'}}
    """
    found: dict[str, Facts] = {}
    facts: dict[str, str] = {}
    # Long values go on in lines that begin with a tab.
    for line in text.replace("\n\t", "").splitlines():
        if line[:1].strip():
            found[line.removeprefix("Job Id:").strip()] = facts = {}
        elif " = " in line:
            name, _, value = line.partition(" = ")
            facts.setdefault(name.strip(), value.strip())
    return found
