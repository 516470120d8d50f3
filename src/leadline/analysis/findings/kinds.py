"""The vocabulary of findings: the names of the rules' files, and nothing else."""

from leadline.core.plugins import modules_of

RULES = "leadline.analysis.findings.rules"


def kinds() -> tuple[str, ...]:
    """Return every kind of finding that there is."""
    return tuple(kind_of(module) for module in modules_of(RULES))


def kind_of(module: str) -> str:
    """Return the kind that the rule in this module finds.

    >>> kind_of("leadline.analysis.findings.rules.wrong_data")
    'wrong_data'
    """
    return module.removeprefix(f"{RULES}.")
