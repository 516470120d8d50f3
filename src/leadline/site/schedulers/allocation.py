"""Hosts that are not named one by one: a batch job's, or a cluster's."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.hosts import Hosts

_SYSTEMS = "leadline.site.schedulers"


class Allocation(NamedTuple):
    """A source of hosts. One file each, found by its `ALLOCATION`.

    `name` is the word that stands for it in `--hosts`; where there may be `several` of its kind,
    `NAME/WHICH` stands for one of them. `find` returns its hosts as they are now, and raises
    `UserError` where there are none.
    """

    name: str
    find: Callable[[str], Hosts]
    several: bool = False


def hosts_for(words: Sequence[str], remote_shell: str) -> Hosts:
    """Return the hosts that `--hosts` and `--remote-shell` ask for.

    An allocation's name stands for all its hosts; `NAME:HOST` and the words after it for these of
    them, in that order; `NAME/WHICH` for one of several. Raises `UserError` where
    an allocation is named beside other hosts, or has none, or not those.
    """
    for allocation in plugins_of_folders(_SYSTEMS, "allocation", "ALLOCATION"):
        known, which, chosen = parse_words(allocation, words)
        if not known and allocation.name not in words:
            continue
        if len(words) > 1 and not chosen:
            raise UserError(
                f"hosts {','.join(words)}: {allocation.name} stands for all hosts of an "
                f"allocation, so name it alone or name hosts one by one"
            )
        found: Hosts = allocation.find(which)
        found = _restrict(found, chosen, allocation.name) if chosen else found
        return msgspec.structs.replace(found, remote_shell=remote_shell or found.remote_shell)
    return Hosts(names=tuple(words), remote_shell=remote_shell)


def around_here() -> str:
    """Return the name of the batch system whose job this process is in.

    Raises `UserError` outside of any job.
    """
    for allocation in plugins_of_folders(_SYSTEMS, "allocation", "ALLOCATION"):
        if allocation.several:
            continue
        with suppress(UserError):
            allocation.find("")
            return str(allocation.name)
    raise UserError(
        "there are no nodes: name them with --hosts, or start leadline in a job, as with "
        "`salloc -N 8 leadline ...`"
    )


def parse_words(allocation: Allocation, words: Sequence[str]) -> tuple[bool, str, tuple[str, ...]]:
    """Return whether the words begin with the allocation, which of its kind, and chosen hosts."""
    source, colon, first = words[0].partition(":") if words else ("", "", "")
    name, slash, which = source.partition("/")
    if name != allocation.name or (slash and not (allocation.several and which)):
        return False, "", ()
    return True, which, (first, *words[1:]) if colon else ()


def _restrict(found: Hosts, chosen: tuple[str, ...], allocation: str) -> Hosts:
    for name in chosen:
        if name not in found.names:
            raise UserError(f"host {name} is not of {allocation}: it has {', '.join(found.names)}")
        if chosen.count(name) > 1:
            raise UserError(f"host {name} is named twice")
    cores = dict(zip(found.names, found.cores, strict=False))
    return msgspec.structs.replace(
        found, names=chosen, cores=tuple(cores[name] for name in chosen if name in cores)
    )
