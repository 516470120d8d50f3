"""The script of a job: it carries out launches one after the other, with nothing but a shell."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from leadline.model.job import Start

# Files that the script leaves in the folder of a launch, or heeds there.
BEGAN, STATUS, LEAVE_OUT = "began", "status", "leave_out"

# The end tells the first from the tenth.
_HOST = "leadline_host_{}_"
_HOSTS = re.compile(r"leadline_host_(\d+)_")

_LAUNCH = """\
# leadline sends USR1 where it gives up on the launch that runs.
trap 'kill "$launcher"' USR1
launch() {
  place=$1
  shift
  [ ! -e "$place/leave_out" ] || return 0
  : >"$place/began"
  "$@" </dev/null >"$place/stdout.txt" 2>"$place/stderr.txt" &
  launcher=$!
  wait "$launcher"
  status=$?
  while kill -0 "$launcher" 2>/dev/null; do
    wait "$launcher"
    status=$?
  done
  echo "$status" >"$place/status.partial"
  mv "$place/status.partial" "$place/status"
}
"""


def host_names(count: int) -> tuple[str, ...]:
    """Return names that stand for the job's hosts until it runs, and hosts have names."""
    return tuple(_HOST.format(number) for number in range(1, count + 1))


def job_script(
    directives: Iterable[str],
    list_hosts: str,
    folder: Path,
    launches: Mapping[str, Start],
    first: Sequence[str] = (),
) -> str:
    """Return the script that executes `launches`, by the names of their folders in `folder`.

    `list_hosts` is a command that prints the names of the job's hosts. Where a launch or one of its
    files, which its folder holds already, names one of `host_names`, the job's own takes its place.
    The commands `first` are carried out before any launch.
    """
    commands = [f"launch {place} {_format_command(start)}" for place, start in launches.items()]
    files = {
        f"{place}/{name}": text
        for place, start in launches.items()
        for name, text in start.files.items()
        if _HOSTS.search(text)
    }
    words = (word for start in launches.values() for word in start.argv)
    named = "\n".join([*words, *files.values()])
    hosts = sorted({int(number) for number in _HOSTS.findall(named)})
    lines = [
        "#!/bin/sh",
        *directives,
        "",
        f"cd {shlex.quote(str(folder))} || exit",
        *([f"set -- $({list_hosts})"] if hosts else []),
        *(f"{_HOST.format(number)}=${{{number}}}" for number in hosts),
        *([_format_renaming(files, hosts)] if files else []),
        *first,
        _LAUNCH,
        *commands,
    ]
    return "\n".join(lines) + "\n"


def _format_renaming(files: Iterable[str], hosts: Iterable[int]) -> str:
    names = map(_HOST.format, hosts)
    rules = " ".join(f'-e "s/{name}/${name}/g"' for name in names)
    return f"sed -i {rules} {shlex.join(files)}"


def _format_command(start: Start) -> str:
    words = [*(f"{name}={value}" for name, value in start.environment.items()), *start.argv]
    return " ".join(["env", *map(_quote, words)])


def _quote(word: str) -> str:
    """Return a word for the shell, in which only the names of hosts are expanded."""
    quoted = shlex.quote(word)
    expanded = r'"$leadline_host_\1_"' if quoted == word else r"""'"$leadline_host_\1_"'"""
    return _HOSTS.sub(expanded, quoted)
