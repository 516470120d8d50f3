"""A hook of hatch: the wheel and the source archive have the reference, where it has been made."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ReferenceHook(BuildHookInterface):
    """Adds build/reference, which `make dist` makes first; editable installs go without it."""

    def initialize(self, version, build_data):
        """Name the folder and its place in what is built."""
        made = Path(self.root, "build", "reference")
        target = "build/reference" if self.target_name == "sdist" else "leadline/reference"
        if made.is_dir() and version != "editable":
            build_data["force_include"][str(made)] = target
