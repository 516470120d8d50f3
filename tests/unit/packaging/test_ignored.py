"""What make leaves in a checkout is no source: `make check` passes after `make survey`."""

import tomllib
from fnmatch import fnmatch

from checkout import CHECKOUT


def test_what_git_ignores_is_not_spelt():
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    skipped = settings["tool"]["codespell"]["skip"].split(",")
    ignored = [line.strip("/") for line in (CHECKOUT / ".gitignore").read_text().splitlines()]
    sources = [name for name in ignored if not any(fnmatch(name, pattern) for pattern in skipped)]
    # Caches of Python have no words; metadata of a package repeats the README.
    assert sources == ["__pycache__", "*.egg-info"]
