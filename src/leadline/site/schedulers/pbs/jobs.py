"""PBS: OpenPBS and PBS Professional by their JSON; those without it, and Torque, by their text."""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from leadline.model.jobs import Job, JobPhase, Limits, Node, NodePhase
from leadline.site.schedulers.job_source import (
    Source,
    answer,
    ask_all,
    failure,
    in_turn,
    seconds,
    sorted_jobs,
    with_local_clock,
)

Facts = Mapping[str, str]

_ADVICE = "`qstat -B` says whether its server is up"
_HUNG_OR_MISSING = 127


def list_facts(argv: list[str], key: str) -> dict[str, Facts]:
    """Return facts by name of job or node; those within others are called `a.b`, as in the text.

    `key` is what JSON calls all of them. Raises `NoAnswer`.
    """
    result = ask_all([*argv, "-F", "json"])
    if result.status == _HUNG_OR_MISSING:
        raise failure("PBS", argv, result, _ADVICE)
    found = None if result.status else from_json(result.output, key)
    return from_text(answer("PBS", argv, _ADVICE)) if found is None else found


def from_json(text: str, key: str) -> dict[str, Facts] | None:
    """Return what a JSON answer lists, None where it is not JSON: names in it are not escaped."""
    if not text.strip():
        return {}
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    found = whole.get(key, {}) if isinstance(whole, dict) else {}
    return {name: dict(_flat(facts)) for name, facts in found.items() if isinstance(facts, dict)}


def _flat(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", str(each)) for inner, each in value.items())
        else:
            yield name, str(value)


def from_text(text: str) -> dict[str, Facts]:
    r"""Return what a text lists: a name at the beginning of a line, and facts that are indented.

    >>> from_text("Job Id: 7.s\n    Job_Name = a\n\tb\n\nJob Id: 8.s\n    queue = q\n")
    {'7.s': {'Job_Name': 'ab'}, '8.s': {'queue': 'q'}}
    """
    found: dict[str, Facts] = {}
    facts: dict[str, str] = {}
    # Long values go on in lines that begin with a tab.
    for line in text.replace("\n\t", "").splitlines():
        if line[:1].strip():
            found[line.removeprefix("Job Id:").strip()] = facts = {}
        elif " = " in line:
            name, _, value = line.partition(" = ")
            facts.setdefault(name.strip(), value.strip())
    return found


_PHASES: dict[str, JobPhase] = {
    "R": "running",
    "E": "ending",
    "S": "suspended",
    "U": "suspended",
    **dict.fromkeys("QHWTMB", "waiting"),
}
_HELD = "HW"
_DOWN = ("down", "state-unknown", "unknown", "stale", "provisioning", "sleep")
_BUSY = ("job-busy", "job-exclusive", "resv-exclusive", "busy")
_UNITS = {"b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40, "": 1}
_HAVE = "resources_available."
_USED = "resources_assigned."


def _here() -> bool:
    return bool(shutil.which("qstat") and shutil.which("pbsnodes"))


def _sorted() -> tuple[Job, ...]:
    """Return all jobs; those that wait as PBS lists them, which need not be its order."""
    jobs = [_job(name, facts) for name, facts in _one_row_an_array(_jobs())]
    turns = [job for job in jobs if job.phase == "waiting" and job.state not in _HELD]
    others = [job for job in jobs if job.phase != "waiting" or job.state in _HELD]
    return sorted_jobs([*others, *in_turn(turns)])


def _nodes() -> tuple[Node, ...]:
    """Return all virtual nodes, as `pbsnodes` lists them."""
    nodes = list_facts(["pbsnodes", "-a"], "nodes")
    return with_local_clock(_node(name, facts) for name, facts in nodes.items() if "state" in facts)


def _regions() -> tuple[Limits, ...]:
    """Return the queues that execute jobs."""
    queues = list_facts(["qstat", "-Q", "-f"], "Queue")
    return tuple(
        _region(name.removeprefix("Queue:").strip(), facts)
        for name, facts in queues.items()
        if facts.get("queue_type", "").lower().startswith("e")
    )


def _interactive() -> frozenset[str]:
    """Return the jobs of `qsub -I`."""
    jobs = list_facts(["qstat", "-t", "-f"], "Jobs").items()
    return frozenset(name for name, facts in jobs if _is_set(facts.get("interactive")))


def _running() -> frozenset[tuple[str, str]]:
    """Return the jobs that have begun."""
    jobs = (_job(name, facts) for name, facts in _jobs().items())
    return frozenset((job.id, job.user) for job in jobs if job.phase != "waiting")


def _jobs() -> dict[str, Facts]:
    # The parts of job arrays are listed only where `-t` asks for them.
    jobs = list_facts(["qstat", "-t", "-f"], "Jobs")
    return {name: facts for name, facts in jobs.items() if facts.get("job_state") in _PHASES}


def _one_row_an_array(jobs: dict[str, Facts]) -> list[tuple[str, Facts]]:
    """Return the jobs with the waiting parts of each array joined in the array itself."""
    waiting = {
        whole
        for name, facts in jobs.items()
        if _PHASES[facts["job_state"]] == "waiting" and (whole := _array(name)) in jobs
    }
    return [
        (name, facts)
        for name, facts in jobs.items()
        # An array that has begun waits as long as a part of it does.
        if (name in waiting or facts["job_state"] != "B")
        and not (_array(name) in waiting and _PHASES[facts["job_state"]] == "waiting")
    ]


def _array(part: str) -> str:
    return re.sub(r"\[\d+\]", "[]", part) if re.search(r"\[\d+\]", part) else ""


def _job(name: str, facts: Facts) -> Job:
    phase = _PHASES[facts["job_state"]]
    begun = phase != "waiting"
    places = re.findall(r"([^+/]+)/[^+]*", facts.get("exec_host", "")) if begun else []
    hosts = tuple(dict.fromkeys(place.strip() for place in places))
    program = facts.get("executable", "") + " " + facts.get("argument_list", "")
    words = " ".join(re.sub(r"<[^>]*>", " ", program).split())
    submitted = facts.get("Submit_arguments", facts.get("submit_args", ""))
    return Job(
        id=name,
        user=facts.get("Job_Owner", "").partition("@")[0],
        name=facts.get("Job_Name", ""),
        phase=phase,
        state=facts["job_state"],
        queue=facts.get("queue", ""),
        nodes=len(hosts) or _whole(facts.get("Resource_List.nodect")),
        cores=_whole(facts.get("Resource_List.ncpus")),
        hosts=hosts,
        base_node=next(iter(hosts), ""),
        used_s=seconds(facts.get("resources_used.walltime", "")) if begun else None,
        limit_s=seconds(facts.get("Resource_List.walltime", "")),
        command=words or (f"qsub {submitted}".strip() if submitted else ""),
        reason="" if begun else facts.get("comment", ""),
    )


def _region(name: str, facts: Facts) -> Limits:
    shut = [word for word in ("enabled", "started") if not _is_set(facts.get(word, "True"))]
    lists = ("users", "groups")
    allowed = [
        f"{kind} {facts[f'acl_{kind}']}"
        for kind in lists
        if _is_set(facts.get(f"acl_{kind[:-1]}_enable")) and f"acl_{kind}" in facts
    ]
    most = "resources_max."
    return Limits(
        name=name,
        state=", ".join(f"not {word}" for word in shut) or "started",
        open=not shut,
        least_nodes=_whole(facts.get("resources_min.nodect")),
        most_nodes=_whole(facts.get(f"{most}nodect", facts.get(f"{most}nodes"))),
        most_cores=_whole(facts.get(f"{most}ncpus")),
        most_s=seconds(facts.get(f"{most}walltime", "")),
        default_s=seconds(facts.get("resources_default.walltime", "")),
        priority=_whole(facts.get("Priority")),
        for_whom=", ".join(allowed),
    )


def _is_set(word: str | None) -> bool:
    return (word or "").lower() in ("true", "1", "t", "y", "yes")


def _node(name: str, facts: Facts) -> Node:
    # Torque counts processors as np.
    cores = _whole(facts.get(f"{_HAVE}ncpus", facts.get("np", facts.get("pcpus"))))
    in_use = _whole(facts.get(f"{_USED}ncpus"))
    if in_use is None and "jobs" in facts:
        in_use = min(cores_of_jobs(facts["jobs"]), cores or sys.maxsize)
    queues = facts.get(f"{_HAVE}Qlist", facts.get("queue", ""))
    marks = sorted(
        key.removeprefix(_HAVE)
        for key, value in facts.items()
        if key.startswith(_HAVE) and value.lower() in ("true", "yes")
    )
    devices = _whole(facts.get(f"{_HAVE}ngpus"))
    return Node(
        name=name,
        phase=node_phase(facts["state"], in_use or 0),
        state=facts["state"],
        queues=tuple(filter(None, queues.split(","))),
        features=(*marks, *([f"{devices} GPUs"] if devices else [])),
        architecture=facts.get(f"{_HAVE}arch", ""),
        cores=cores,
        cores_in_use=in_use,
        memory_bytes=_bytes(facts.get(f"{_HAVE}mem")),
        note=facts.get("comment", ""),
        reserved="resv" in facts["state"] or "maintenance" in facts["state"],
    )


def node_phase(state: str, in_use: int) -> NodePhase:
    """Return what a node's states mean, which PBS joins by commas.

    >>> node_phase("free", 0), node_phase("free", 4), node_phase("job-busy,offline", 8)
    ('idle', 'mixed', 'allocated')
    >>> node_phase("offline", 0), node_phase("down,offline", 0)
    ('drained', 'down')
    """
    states = set(state.split(","))
    if states & set(_DOWN):
        return "down"
    if states & set(_BUSY):
        return "allocated"
    if in_use:
        return "mixed"
    return "drained" if states & {"offline", "maintenance"} else "idle"


def cores_of_jobs(text: str) -> int:
    """Return how many cores the jobs of a node use, where the node does not count them itself.

    >>> cores_of_jobs("0-30/7.s, 31/8.s"), cores_of_jobs("7.s/0, 7.s/1"), cores_of_jobs("['7.s']")
    (32, 2, 1)
    """
    total = 0
    for word in re.split(r"[\s,]+(?=[^,\s]*[/.])", text.strip("[]")):
        # Torque names cores before the job, OpenPBS one of them behind it.
        cores = re.match(r"['\"]?([\d,-]+)/", word)
        ends = [part.partition("-") for part in cores[1].split(",")] if cores else []
        total += sum(int(last or first) - int(first) + 1 for first, _, last in ends) or bool(word)
    return total


def _bytes(text: str | None) -> int | None:
    found = re.fullmatch(r"(\d+)(\w*)", text or "")
    return int(found[1]) * _UNITS[found[2]] if found and found[2] in _UNITS else None


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"\d+", text) else None


SOURCE = Source("pbs", 20, _here, _sorted, _nodes, _regions, _interactive, _running)
