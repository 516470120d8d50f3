"""Open MPI's host file (4 and 5 read it alike): `HOST slots=N max_slots=M`.

A host that is listed once without a number has as many slots as cores, one that is listed several
times as many as lines. Hosts are filled one after the other; what is beyond their slots is refused.
"""

import re
from collections.abc import Sequence

from leadline.topology.host_files.host_file import Entry, Line, Reading

_SLOTS = ("slots", "count", "cpu")
_MOST = ("max_slots", "max-slots", "count_max")


class OpenMpiHostFile:
    """What `mpirun --hostfile` reads.

    >>> READER.read([Line(1, ("a", "slots=2")), Line(2, ("b",)), Line(3, ("b",))]).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """

    name = "openmpi"
    title = "Open MPI 4 and 5, host file"
    order = 1
    again = False

    def command(self, path: str, processes: int) -> str:
        """Return how `mpirun` takes it."""
        return f"mpirun --hostfile {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return hosts in the order of their first line."""
        hosts: dict[str, Entry] = {}
        remarks: list[str] = []
        for line in lines:
            where = f"line {line.number}"
            if wrong := _find_fault(line):
                return Reading(refused=f"{where}: {wrong}")
            ranked = line.host == "rank"
            host = line.words[1].partition("=")[2] if ranked else line.host.rpartition("@")[2]
            values = {} if ranked else _values(line)
            known = hosts.get(host)
            if "slots" in values and known:
                return Reading(refused=f"{where}: {host} has its slots given more than once")
            slots: int | None
            if ranked:
                slots = (known.slots or 0) + 1 if known else 1
            elif known:
                slots = (known.slots or 1) + 1
            else:
                slots = values.get("slots", values.get("most"))
            most = values.get("most", known.maximum if known else None)
            if most is not None and (slots or 0) > most:
                return Reading(refused=f"{where}: more slots than max_slots")
            hosts[host] = Entry(host=host, slots=slots, maximum=most)
            unread = [] if ranked else [word for word in line.words[1:] if "=" not in word]
            remarks += [f"{where}: {word} is not read, write slots={word}" for word in unread]
        if any(line.host == "rank" for line in lines):
            remarks.append("each line counts as a slot of its host, and no rank is kept to its own")
        return Reading(entries=tuple(hosts.values()), remarks=tuple(remarks))


def _find_fault(line: Line) -> str:
    """Return why a line cannot be used; empty where it can."""
    if line.host == "rank":
        there = len(line.words) > 1 and re.fullmatch(r"\d+=\S+", line.words[1])
        return "" if there else "no rank and host follow"
    if any(mark in line.host for mark in "[]"):
        return f"{line.host} is no name, write each host's"
    if any(mark in line.host for mark in ":*,"):
        cure = re.fullmatch(r"(\S+?)[:*](\d+)", line.host)
        instead = f", write {cure[1]} slots={cure[2]}" if cure else ""
        return f"{line.host} is taken for the name of a host, and none is called so{instead}"
    for word in line.words[1:]:
        key, equals, value = word.partition("=")
        if equals and key not in (*_SLOTS, *_MOST):
            return f"{word} is not known"
        if equals and not value.isdigit():
            return f"{word} is no number"
    return ""


def _values(line: Line) -> dict[str, int]:
    pairs = (word.partition("=") for word in line.words[1:])
    return {"slots" if key in _SLOTS else "most": int(n) for key, equals, n in pairs if equals}


READER = OpenMpiHostFile()
