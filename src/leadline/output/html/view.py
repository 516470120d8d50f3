"""Texts and tables of the page, ready for the template."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

import msgspec

from leadline.analysis.compare.interference import seen_at
from leadline.core.units import count, format_bytes, format_figure
from leadline.model.run import Launch, Run
from leadline.model.summary import Analysis, Finding
from leadline.output.first_screen import gain_text
from leadline.output.html.panels import Panel, choices
from leadline.output.table import Column, Table, number, table_of, without_empty_columns, words
from leadline.output.words import STATISTICS, TOPICS, evidence_rows

Rows = list[dict[str, Any]]

SEVERITIES = ("problem", "notice", "fact")


def questions(analysis: Analysis, panels: Sequence[Panel]) -> list[dict[str, Any]]:
    """Return each question with its findings, grouped by severity and kind, problems first."""
    panel_of = {index: panel for panel in panels for index in panel.figures}
    topics: dict[str, dict[tuple[int, str], Rows]] = {topic: {} for topic in TOPICS}
    for index, finding in enumerate(analysis.findings):
        known = finding.severity in SEVERITIES
        rank = SEVERITIES.index(finding.severity) if known else len(SEVERITIES)
        topics[finding.topic].setdefault((rank, finding.kind), []).append(
            {
                "identifier": f"finding-{index}",
                "kind": finding.kind.replace("_", " "),
                "severity": finding.severity,
                "mpi": _mpi_not_said(analysis, finding),
                "text": finding.text,
                "advice": finding.advice,
                "command": finding.command,
                "gain": gain_text(finding.gain) if finding.gain else "",
                "evidence": evidence_rows(finding.evidence),
                "figures": finding.points,
                "charts": _each_once(
                    panel_of[index] for index in finding.points if index in panel_of
                ),
            }
        )
    return [
        {
            "topic": topic,
            "title": title,
            "count": sum(map(len, topics[topic].values())),
            "groups": [topics[topic][key] for key in sorted(topics[topic], key=lambda key: key[0])],
        }
        for topic, title in TOPICS.items()
    ]


def _mpi_not_said(analysis: Analysis, finding: Finding) -> str:
    """Return the MPI of a finding that is about one of several and does not name it."""
    mpis = {analysis.points[index].mpi for index in finding.points}
    several = len({point.mpi for point in analysis.points}) > 1
    said = any(mpi in finding.text for mpi in mpis)
    return mpis.pop() if several and len(mpis) == 1 and not said else ""


def _each_once(panels: Iterable[Panel]) -> list[Panel]:
    return list({panel.identifier: panel for panel in panels}.values())


def statistics(analysis: Analysis) -> list[str]:
    """Return what the times of the figures are, in words."""
    return sorted({STATISTICS[point.statistic] for point in analysis.points})


def notes(analysis: Analysis, panel: Panel) -> list[str]:
    """Return what a reader must know of the figures of a panel before believing them."""
    points = [analysis.points[index] for index in panel.figures]
    unsure = sum(point.interval is None for point in points)
    kinds = sorted({STATISTICS[point.statistic] for point in points} - {"medians"})
    found = [f"These times are not medians but {' and '.join(kinds)}."] if kinds else []
    if unsure and unsure == len(points):
        found.append("No figure here has an interval, so that no curve has a band.")
    elif unsure:
        found.append(f"{unsure} of these {len(points)} figures have no interval.")
    return found


def facts(machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return every fact of the machine as name and text, nested names joined by a dot."""
    return [(name.replace("_", " "), _fact(name, value)) for name, value in _flat(machine, "")]


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name} · {key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        for position, item in enumerate(value):
            yield from _flat(item, f"{name} {position}")
    else:
        yield name, value


def _fact(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, int) and "bytes" in name:
        rounded = format_bytes(value)
        return rounded if rounded.endswith(" B") else f"{rounded} ({value} B)"
    return format_figure(value, padded=False) if isinstance(value, float) else str(value)


# What launchers start.
_PROBE = "leadline-probe"


def disturbing(run: Run) -> Rows:
    """Return the checks of the machine that say what disturbs figures."""
    return [check for check in run.doctor if check.get("status") in ("warn", "bad")]


def launches(run: Run) -> Table:
    """Return every start of a probe: where, how it ended, who else ran, and what started it."""
    rows = (
        (
            launch.launch,
            launch.mpi,
            f"{launch.nodes}x{launch.processes_per_node}",
            len(launch.points),
            launch.outcome.state + (", oversubscribed" if launch.oversubscribed else ""),
            launch.outcome.message,
            seen_at(launch),
            launch_line(launch),
        )
        for launch in run.launches
    )
    columns = (
        *(number("Launch"), Column("MPI"), Column("Placement"), number("Points"), Column("End")),
        *(words("Message"), words("Also ran"), words("Started by")),
    )
    return without_empty_columns(table_of(columns, rows, "Launches"))


def launch_line(launch: Launch) -> str:
    """Return the launcher and its options, as a shell takes them, with variables that are set.

    The probe's own arguments are left out; they are in `run.json`.
    """
    variables = [
        f"{name}={shlex.quote(value)}" for name, value in sorted(launch.environment.items())
    ]
    own = (at for at, word in enumerate(launch.argv) if PurePath(word).name == _PROBE)
    end = next(own, None)
    words = launch.argv if end is None else [*launch.argv[:end], _PROBE]
    return " ".join([*variables, shlex.join(words)])


def installations(run: Run) -> Table:
    """Return the MPIs that were measured, and where they are."""
    rows = (
        (one.name, one.family, one.version, one.prefix, one.source) for one in run.installations
    )
    columns = ("MPI", "Family", "Version", words("Prefix"), words("Found by"))
    return table_of(columns, rows, "MPIs")


def conditions(panels: Sequence[Panel], analysis: Analysis) -> list[tuple[str, str]]:
    """Return the choices under which the panels of a benchmark were measured."""
    values: dict[str, dict[str, None]] = {}
    for panel in panels:
        for index in panel.figures:
            for name, value in choices(analysis.points[index]).items():
                values.setdefault(name, {})[value] = None
    return [(name, ", ".join(chosen)) for name, chosen in values.items()]


def plan(run: Run) -> str:
    """Return the plan as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(run.plan), indent=2).decode()


def platform_facts(run: Run) -> list[tuple[str, str]]:
    """Return what a simulated machine is and where its numbers are from; nothing of a real one."""
    if run.platform is None:
        return []
    shape = " ".join(f"{name}={value}" for name, value in run.platform.topology.items())
    return [
        ("Name", run.platform.name),
        ("Nodes", str(run.platform.nodes)),
        ("Topology", shape),
        ("Changed", ", ".join(run.platform.changes)),
        ("Source", run.platform.source),
        ("Assumed", run.platform.assumed),
        ("Digest", run.platform_digest),
    ]


def title(run: Run, analysis: Analysis) -> str:
    """Return what was measured where, as people say it."""
    if run.imported:
        source = f": {run.imported.source}" if run.imported.source else ""
        return f"Figures from {run.imported.program or 'another program'}{source}"
    families = {point.benchmark.partition("/")[0] for point in analysis.points}
    if "mpi" in families or "rma" in families:
        what = "MPI"
    else:
        what = "OpenSHMEM" if "shmem" in families else "figures"
    nodes = max((point.nodes for point in analysis.points), default=1)
    where = f"on {nodes} nodes" if nodes > 1 else "inside one node"
    host = run.platform.name if run.platform else run.machine.get("host")
    return f"{host or 'this machine'}: {what} {where}"


def story(run: Run, analysis: Analysis) -> list[str]:
    """Return when, with what and for how long it was measured, each in a few words."""
    named = libraries(run, analysis)
    processes = sorted({point.processes for point in analysis.points})
    texts = [
        _day(run.imported.when if run.imported else run.started),
        ", ".join(named) if len(named) <= _NAMED else f"{len(named)} MPIs",
        f"{', '.join(map(str, processes))} processes" if 0 < len(processes) <= _NAMED else "",
        count(len(run.launches), "launch") if run.launches else "",
        _duration(run.started, run.ended),
        count(len(analysis.points), "figure"),
    ]
    return [text for text in texts if text]


# So many are told by name.
_NAMED = 3


def _day(started: str | None) -> str:
    try:
        return f"{datetime.fromisoformat(started or ''):%d %b %Y}".removeprefix("0")
    except ValueError:
        return started or ""


def _duration(started: str, ended: str | None) -> str:
    try:
        seconds = (
            datetime.fromisoformat(ended or "") - datetime.fromisoformat(started)
        ).total_seconds()
    except (ValueError, TypeError):
        return ""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def machine_name(run: Run) -> str:
    """Return the machine's name, with its processor where that is known, or what is simulated."""
    if run.platform:
        return f"Simulated on {run.platform.name}: {run.platform.summary}"
    named = [run.machine.get(key) for key in ("host", "cpu_model")]
    return ", ".join(str(value) for value in named if value)


def libraries(run: Run, analysis: Analysis) -> list[str]:
    """Return the names of the MPIs that were measured, each once."""
    installed = [installation.name for installation in run.installations]
    return installed or list(dict.fromkeys(p.mpi for p in analysis.points if p.mpi))
