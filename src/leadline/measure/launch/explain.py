"""What went wrong, in the words of whoever noticed it, and what to try."""

import itertools
import re

from leadline.core.errors import explain_first
from leadline.measure.launch.start import LAUNCHERS
from leadline.measure.launch.supervise import describe_status

# Told by the remote shell, the loader and the kernel, whatever the launcher.
_FAILURES = {
    r"error while loading shared libraries: \S+: .*? No such file or directory": (
        "the probe's MPI is not where it was built for: `leadline mpi --fresh` looks again; on "
        "other hosts install it in the same place"
    ),
    (
        r"([Cc]ould not resolve hostname [^\s:]+|unable to resolve host \S+|[Uu]nknown host:? \S+)"
        r"(: Name or service not known|: Temporary failure in name resolution)?"
    ): "check the names given to --hosts",
    (
        r"connect to host \S+ port \d+: "
        r"(Connection refused|No route to host|Connection timed out|Network is unreachable)"
    ): "no ssh server answers there: start one, or name a reachable host with --hosts",
    r"(Host key verification failed|Permission denied \([^)]*(publickey|password)[^)]*\))": (
        "let `ssh HOST true` work without a question first"
    ),
    r"([a-zA-Z][^.:]{0,60}: )?(Login failed: )?Resource (temporarily )?unavailable": (
        "a limit was met on that host: processes or threads (`ulimit -u`), open files "
        "(`ulimit -n`) or sessions; raise it, end what is left over, or take fewer processes"
    ),
    r"(Too many open files|Cannot allocate memory)": (
        "a limit was met: raise `ulimit -n` or `ulimit -l`, or take fewer processes"
    ),
    (
        r"\S*(hydra_\w+proxy|orted|prted)\S*:( command)? not found"
        r"|\S*(hydra_\w+proxy|orted|prted): No such file or directory"
    ): "install the same MPI in the same place on each of --hosts",
    r"No space left on device": "a file system is full: see `df` for /dev/shm, /tmp and runs",
}
# PRRTE prints a stray NUL between what it says and what ranks say.
_PROBE = re.compile(r"^[ \0]*leadline-probe: (.+)$", re.MULTILINE)
# Who speaks, as launchers say it first: `[proxy:0:0@host]`. One that is killed may get no further.
_SPEAKER = re.compile(r"^\s*(\[[^\]]*\]\s*)+")


def explain(launcher_name: str, output: str, returncode: int) -> str:
    """Return one line that says why a launch failed, and what to try.

    `output` is what launcher and ranks printed on both streams, `returncode` the launcher's
    status. A probe's own words win; then come the remote shell's and the system's, which tell
    causes; then the launcher's, which often tells only consequences.
    """
    if match := _PROBE.search(output):
        return match[1].strip()
    line = " ".join(output.split())
    own = [each.failures.items() for each in LAUNCHERS if each.name == launcher_name]
    if explained := explain_first(itertools.chain(_FAILURES.items(), *own), line):
        return explained
    status = describe_status(f"the launcher ({launcher_name})", returncode)
    lines = [
        line.strip() for line in output.splitlines() if re.search(r"\w", _SPEAKER.sub("", line))
    ]
    if not lines:
        return (
            f"{status} without a word: see that the program is on every host, then try the command "
            "that --dry-run prints"
        )
    return f"{status}; its last words were: {lines[-1]}"


def explain_silence(output: str) -> str:
    """Return why a host did not answer, by what the remote shell printed; empty where it is mute.

    >>> explain_silence("ssh: Could not resolve hostname n7")
    'Could not resolve hostname n7: check the names given to --hosts'
    >>> explain_silence("n7 is in maintenance")
    'n7 is in maintenance'
    """
    words = " ".join(output.split())
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return explain_first(_FAILURES.items(), words) or (lines[-1] if lines else "")
