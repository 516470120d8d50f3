"""The optional extras: packages that measuring does without, and which command needs them."""

import importlib.util

from leadline.core.errors import UserError

# Modules of each extra with the packages that bring them, as pyproject.toml lists these.
EXTRAS = {
    "report": {"jinja2": "jinja2", "vl_convert": "vl-convert-python"},
    "serve": {
        "jinja2": "jinja2",
        "vl_convert": "vl-convert-python",
        "waitress": "waitress",
        "werkzeug": "werkzeug",
    },
    "place": {"pymetis": "pymetis"},
}


def require(extra: str) -> None:
    """Raise `UserError` where a package of the extra is missing; none is imported."""
    missing = [
        package
        for module, package in EXTRAS[extra].items()
        if importlib.util.find_spec(module) is None
    ]
    if missing:
        packages = f"package{'s' * (len(missing) > 1)} {', '.join(missing)}"
        raise UserError(f"this needs the {packages}: pip install 'leadline[{extra}]'")
