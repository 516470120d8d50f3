#!/usr/bin/env python3
"""Write the catalogues of benchmarks: what all parts of the probes say of themselves.

tools/catalogue.py [fake] [mpi] builds the parts, of MPI for the default one, and replaces
src/leadline/measure/build/catalogue/*.json.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from leadline.core.shipped import source_folder
from leadline.measure.build.parts import catalogue_file, in_order, parts
from leadline.measure.build.probe import whole_program
from leadline.model.installation import Installation
from leadline.site.mpi.choice import default_installation
from leadline.site.mpi.discovery import FAKE

Described = dict[str, Any]


class Describer:
    """Asks any parts of a probe what they say together."""

    def __init__(self, installation: Installation, api: str) -> None:
        loader, option, files = whole_program(installation, api, print)
        self._loader, self._option = loader, option
        self._files = {
            file.rpartition("/")[2].removesuffix(".so"): file for file in files.split(":")
        }
        self._library = [files.split(":")[0]] if api == "mpi" else []
        self._environment = installation.environment
        self.known = {
            name: part for name, part in parts(source_folder()).items() if name in self._files
        }

    def __call__(self, names: Iterable[str]) -> Described:
        """Return what these parts say, with all that they need."""
        files = [self._files[each] for each in in_order(names, self.known)]
        argv = [self._loader, self._option, ":".join((*self._library, *files)), "--describe"]
        done = subprocess.run(argv, check=True, capture_output=True, env=self._environment or None)
        described: Described = json.loads(done.stdout)
        return described


def _choices(described: Described) -> dict[tuple[str, str], list[str]]:
    return {
        (benchmark["name"], axis["name"]): axis["choices"]
        for benchmark in described["benchmarks"]
        for axis in benchmark["axes"]
    }


def made(installation: Installation, api: str) -> Described:
    """Return the catalogue of an API as its parts for `installation` say it."""
    describe = Describer(installation, api)
    world = api
    benchmarks: dict[str, str] = {}
    silent = []
    for name in in_order(describe.known, describe.known):
        described = {each["name"] for each in describe([world, name])["benchmarks"]}
        brought = described - benchmarks.keys()
        needed = set(in_order([name], describe.known)) - {name}
        benchmarks |= dict.fromkeys(sorted(brought), name)
        if not brought and name not in needed:
            silent.append(name)
    choices: Described = {}
    for bringer in silent:
        for part in sorted(set(benchmarks.values())):
            without = _choices(describe([world, part]))
            for (benchmark, axis), values in _choices(describe([world, part, bringer])).items():
                for value in values:
                    if value not in without[benchmark, axis]:
                        of_axis = choices.setdefault(benchmark, {}).setdefault(axis, {})
                        of_axis.setdefault(value, bringer)
    return {
        "description": describe(describe.known),
        "benchmarks": dict(sorted(benchmarks.items())),
        "choices": choices,
    }


def text(catalogue: Described) -> str:
    """Return the catalogue as it is kept: a line for each benchmark."""
    description = dict(catalogue["description"])
    lines = [f"   {json.dumps(each)}" for each in description.pop("benchmarks")]
    head = json.dumps(description)[1:-1]
    return "".join(
        (
            '{\n "description": {\n  ',
            head,
            ',\n  "benchmarks": [\n',
            ",\n".join(lines),
            '\n  ]\n },\n "benchmarks": ',
            json.dumps(catalogue["benchmarks"], indent=1).replace("\n", "\n "),
            ',\n "choices": ',
            json.dumps(catalogue["choices"], indent=1).replace("\n", "\n "),
            "\n}\n",
        )
    )


def main() -> int:
    """Write the catalogues that are named, or both."""
    for api in sys.argv[1:] or ("fake", "mpi"):
        installation = FAKE if api == "fake" else default_installation()
        catalogue_file(api).write_text(text(made(installation, api)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
