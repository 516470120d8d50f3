"""The table of commands: what each is for, in which module it is, and what old names are now."""

import re
from collections.abc import Sequence

from leadline.cli.group import Renamed, Row

FIRST, MEASURE, RESULTS = "Asked for most", "Measure", "Results"
TUNE, MACHINE = "Tune and place", "Machine"

COMMANDS = (
    Row("survey", "Measure this machine and say what to do", "run:survey_command", FIRST),
    Row("explain", "Say where a program's time goes, and what to do", "explain", FIRST),
    Row("check", "Say what is wrong with a program's start, or a machine", "check", FIRST),
    Row(
        "stuck",
        "Say why a parallel program hangs, and at which rank",
        "stuck",
        FIRST,
        ("hang", "hangs", "hung", "deadlock"),
    ),
    Row(
        "screen",
        "Find slow nodes, links and uplinks",
        "screen",
        FIRST,
        ("health", "slow-nodes", "clusterkit", "mpigraph"),
    ),
    Row("watch", "Measure a plan and compare it with its own past", "watch", FIRST),
    Row("exec", "Run a program with faster collective algorithms", "exec", FIRST),
    Row("run", "Measure benchmarks or a plan, or answer a question", "run", MEASURE),
    Row("simulate", "Measure benchmarks on a simulated machine", "simulate", MEASURE),
    Row("platforms", "List or make the machines that can be simulated", "platforms", MEASURE),
    Row("congest", "Load the machine to disturb other programs", "congest", MEASURE),
    Row("show", "Show the figures and findings of a run", "show", RESULTS),
    Row("compare", "Compare runs: what became slower or faster", "compare", RESULTS),
    Row("runs", "List, remove, import or query runs", "runs", RESULTS, ("list", "ls", "delete")),
    Row("jobs", "Say which jobs of a site lose most, and to what", "jobs", RESULTS),
    Row("serve", "Show all runs in a browser", "serve", RESULTS),
    Row("tune", "Find the fastest algorithms and settings of an MPI", "tune", TUNE),
    Row("rank-order", "Show, check or improve an order of ranks", "rank_order", TUNE),
    Row("mpi", "List, install or choose an MPI", "mpi", MACHINE, ("mpis",)),
    Row("module", "Write module files for all users of a site", "module", MACHINE, ("modules",)),
    Row("pack", "Write one file that installs leadline without network", "pack", MACHINE),
    Row("view", "Show who runs where now: jobs, nodes, network", "view", MACHINE),
    Row(
        "virtual-cluster",
        "Make a cluster of virtual hosts on this machine",
        "virtual_cluster",
        MACHINE,
    ),
    Row("completion", "Print the script that completes words in a shell", "man:completion", None),
    Row("man", "Write the manual pages of all commands", "man", None),
)

# Old names work for one release, and say the new one.
_NOW = {
    "ask": "run",
    "benchmarks": "run --list",
    "predict": "simulate --predict",
    "calibrate": "platforms calibrate",
    "findings": "show --findings",
    "plot": "show --plot",
    "figure": "show --plot",
    "export": "show --export",
    "rm": "runs remove",
    "import": "runs import",
    "query": "runs query",
    "doctor": "check",
    "profile": "tune --help",
    "profile show": "tune --show",
    "profile check": "tune --check",
    "profile export": "tune --export",
    "hints": "tune --hints",
    "runtime": "exec --print",
    "knobs": "mpi knobs",
    "software": "mpi software",
    "env": "mpi software",
    "hosts": "view hosts",
    "place": "rank-order",
    "lab": "virtual-cluster",
}
# Where the mode has a value: the option that named it before.
_VALUES = {"show --plot": "--plot", "show --export": "--format"}


def renamed(words: Sequence[str]) -> Renamed | None:
    """Return what a command line with an old name in front is now, None for another one.

    >>> renamed(["export", "last", "--format=csv"]).words
    ['show', 'last', '--export=csv']
    """
    old = next((old for old in (" ".join(words[:2]), words[0]) if old in _NOW), None)
    if old is None:
        return None
    now, rest = _NOW[old], words[len(old.split()) :]
    if old == "ask" and all(word.startswith("-") and word != "--help" for word in rest):
        now = "run --list questions"
    if now not in _VALUES:
        return Renamed(old, now, [*now.split(), *rest])
    command, mode = now.split()
    own = [re.sub(rf"^{_VALUES[now]}(?==|$)", mode, word) for word in rest]
    has_value = any(word.partition("=")[0] == mode for word in own)
    return Renamed(old, now, [command, *own, *([] if has_value else [mode])])
