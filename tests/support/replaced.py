"""A function of leadline replaced wherever the command line has imported it."""

import importlib
import sys

from leadline.core.plugins import modules_of


def replace_everywhere(monkeypatch, place, value):
    """Replace the function `place`, MODULE.NAME, in its module and in all that imported it."""
    for module in (*modules_of("leadline.cli"), *modules_of("leadline.cli.commands")):
        importlib.import_module(module)
    home, _, name = place.rpartition(".")
    old = getattr(importlib.import_module(home), name)
    for module in [each for key, each in sys.modules.items() if key.startswith("leadline")]:
        if module.__dict__.get(name) is old:
            monkeypatch.setattr(module, name, value)
