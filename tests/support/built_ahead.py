"""Builds the probes and runtimes that tests start, of every MPI that is here.

What does not build is one line here: the tests that need it say so again.
"""

import os
import tempfile
from pathlib import Path

import kept_home

from leadline.core.errors import UserError
from leadline.measure.build import observer_for, runtime_for, whole_program
from leadline.site.mpi.discovery import find_installations


def main() -> None:
    """Build them one after the other, each with all cores."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LEADLINE_HOME"] = str(kept_home.make_home(Path(folder) / "home"))
        for installation in find_installations():
            try:
                for api in installation.apis:
                    whole_program(installation, api, print)
                if "mpi" in installation.apis and not installation.simulates:
                    observer_for(installation, print)
                    runtime_for(installation, print)
            except UserError as error:
                print(f"test-builds: {error}")


if __name__ == "__main__":
    main()
