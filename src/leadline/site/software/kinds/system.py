"""What all else stands on: operating system, kernel, C library."""

from collections.abc import Iterator

from leadline.model.software import Item
from leadline.site.hardware import software
from leadline.site.hardware.files import Files
from leadline.site.software.host import Host

_FACTS = {
    "operating_system": "operating system",
    "kernel": "kernel",
    "architecture": "architecture",
    "c_library": "C library",
}


class System:
    """The facts that each run records too."""

    name = "system"
    order = 0

    def find(self, here: Host) -> Iterator[Item]:
        """Yield one item a fact."""
        yield from items(software.system(Files(here.root)))


def items(facts: dict[str, object]) -> Iterator[Item]:
    """Yield the items of what `leadline.site.hardware` reports, as it stands in `run.json` too."""
    for fact, name in _FACTS.items():
        if facts.get(fact):
            yield Item(kind=System.name, name=name, version=str(facts[fact]))


KIND = System()
