"""A hook of hatch: what `make dist` makes first is in the wheel, the pages in the archive, too."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The C library that tools/dist.py builds for.
GLIBC = "2_28"


class MadeBeforeHook(BuildHookInterface):
    """Adds build/reference and build/built; editable installs go without them."""

    def initialize(self, version, build_data):
        """Name the folders and their places in what is built."""
        if version == "editable":
            return
        reference, built = (Path(self.root, "build", name) for name in ("reference", "built"))
        is_wheel = self.target_name == "wheel"
        if reference.is_dir():
            place = "leadline/reference" if is_wheel else "build/reference"
            build_data["force_include"][str(reference)] = place
        if is_wheel and built.is_dir():
            machine = (built / "machine").read_text()
            build_data["force_include"][str(built)] = "leadline/_built"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-manylinux_{GLIBC}_{machine}"
