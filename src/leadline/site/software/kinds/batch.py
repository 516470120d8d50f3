"""Batch systems, as their own programs tell their version."""

import re
from collections.abc import Iterator

from leadline.model.software import Item
from leadline.site.schedulers.batch_system import batch_systems
from leadline.site.software.host import Host


class Batch:
    """Those that leadline can submit to and whose programs are here."""

    name = "batch system"
    order = 70

    def find(self, here: Host) -> Iterator[Item]:
        """Yield each whose program answers."""
        for system in batch_systems():
            commands = [(here.which(program), words) for program, *words in system.version_commands]
            there = [(path, words) for path, words in commands if path]
            said = ((path, here.ask(str(path), *words)) for path, words in there)
            versions = ((path, re.search(r"\d+(?:\.\d+)+", text)) for path, text in said)
            path, version = next(((p, v) for p, v in versions if v), (None, None))
            if path and version:
                yield Item(kind=self.name, name=system.name, version=version[0], path=str(path))
            elif there:
                here.remark(
                    f"{there[0][0]} does not say its version: is {system.name} set up here?"
                )


KIND = Batch()
