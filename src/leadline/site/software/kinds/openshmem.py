"""OpenSHMEM: that of an MPI installation, and libraries of their own such as Sandia's."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from leadline.model.software import Item
from leadline.site.software.host import Host, real_path
from leadline.site.software.kinds.mpi import programs_of

_PROGRAMS = ("oshcc", "oshrun")
_DEFINE = re.compile(r'^\s*#\s*define\s+SHMEM_(\w+)\s+"?(.*?)"?\s*$', re.MULTILINE)


class OpenShmem:
    """What has an `oshcc`."""

    name = "OpenSHMEM"
    order = 30

    def find(self, here: Host) -> Iterator[Item]:
        """Yield the installations, and an `oshcc` on the PATH that belongs to none of them."""
        found = [each for each in here.installations if "shmem" in each.apis]
        words = programs_of(here, found, _PROGRAMS)
        for each in found:
            yield Item(
                kind=self.name,
                name=each.family,
                version=each.version,
                path=each.oshcc or "",
                default_for=words.get(each.name, {}),
            )
        known = {real_path(each.oshcc) for each in found if each.oshcc}
        started = here.which("oshcc")
        if started and real_path(started) not in known:
            yield self._alone(here, started)

    def _alone(self, here: Host, wrapper: Path) -> Item:
        macros = _macros(here, wrapper)
        if not macros:
            here.remark(f"{wrapper} does not lead to a shmem.h that says whose it is")
        vendor = macros.get("VENDOR_STRING", wrapper.name)
        version = re.search(r"\d+(\.\d+)+", vendor)
        return Item(
            kind=self.name,
            name=vendor[: version.start()].strip(" v-") if version else vendor,
            version=version[0] if version else "",
            path=str(wrapper),
            default_for={"oshcc": here.why(wrapper)},
        )


def _macros(here: Host, wrapper: Path) -> dict[str, str]:
    try:
        words = shlex.split(here.ask(str(wrapper), "-show"))
    except ValueError:
        words = []
    folders = [Path(word[2:]) for word in words if word.startswith("-I")]
    for folder in (*folders, wrapper.parent.parent / "include"):
        if (folder / "shmem.h").is_file():
            texts = (
                (folder / name).read_text(errors="replace")
                for name in ("shmem-def.h", "shmem.h")
                if (folder / name).is_file()
            )
            return {name: value for text in texts for name, value in _DEFINE.findall(text)}
    return {}


KIND = OpenShmem()
