"""The kinds of findings: the rules by their names, and what each kind means."""

import importlib
import pkgutil
from collections.abc import Mapping

from leadline.analysis.findings import rules
from leadline.analysis.findings.rule import Rule

_MODULES = [
    importlib.import_module(f"{rules.__name__}.{one.name}")
    for one in pkgutil.iter_modules(rules.__path__)
]
RULES: Mapping[str, Rule] = {
    one.kind: one
    for one in sorted(
        (each for module in _MODULES for each in vars(module).values() if isinstance(each, Rule)),
        key=lambda one: one.kind,
    )
}


def kinds() -> tuple[str, ...]:
    """Return every kind of finding that there is."""
    return tuple(RULES)
