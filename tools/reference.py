#!/usr/bin/env python3
"""Write the reference that is made from the code: pages in Markdown and the JSON Schema.

Argument: the folder to write them into. `make docs-site` and the wheel have them; git has not.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import click
import msgspec

from leadline.analysis.findings.kinds import RULES
from leadline.analysis.findings.rule import Rule
from leadline.check.report import LaunchCheck
from leadline.cli import group
from leadline.cli.show import ANSWER_FORMAT, answer
from leadline.explain.difference import ExplainedDifference
from leadline.explain.report import Explained
from leadline.measure.build.parts import catalogue
from leadline.measure.build.probe import described_probe
from leadline.model.comparison import Comparison
from leadline.model.description import Axis, Benchmark, Description
from leadline.model.imported import Bound, Remark, Table
from leadline.model.installation import Installation
from leadline.model.interference import Interference
from leadline.model.job_report import JobReport
from leadline.model.jobs import CoresByKind, Job, Node, NodeKind, Region
from leadline.model.map import Map
from leadline.model.plan import Plan
from leadline.model.prediction import Predictions
from leadline.model.recorded import ProgramProfile
from leadline.model.run import Clock, Outcome, Run
from leadline.model.screen import Screen
from leadline.model.software import Setting, Software, SoftwareChange
from leadline.model.summary import Analysis, CheckResult
from leadline.model.tuning import Tuning
from leadline.model.watched import Nights
from leadline.output.server.catalogue import Listed
from leadline.output.server.listing import Selection
from leadline.output.server.nights import Watched
from leadline.output.words import TOPICS
from leadline.site.mpi.discovery import find_installations
from leadline.site.vcluster.control import Status, Summary
from leadline.store.overview import Overview
from leadline.stuck.report import StuckJob
from leadline.topology import host_file
from leadline.topology.rank_order.proposal import Proposal

PRINTED = (
    Analysis, Benchmark, Bound, CheckResult, Clock, Comparison, CoresByKind, Explained,
    ExplainedDifference, host_file.Explanation, Installation, Interference, Job, JobReport,
    LaunchCheck, Listed, Map, Nights, Node, NodeKind, Outcome, Overview, Predictions,
    ProgramProfile, Proposal, Region, Remark, Screen, Selection, Setting, Software, SoftwareChange,
    Status, StuckJob, Summary, Table, Tuning, Watched,
)  # fmt: skip


def pages(descriptions: list[Description]) -> dict[str, str]:
    """Return the text of each file of docs/reference that the code makes, by its name.

    `descriptions` are what probes say of themselves.
    """
    return {
        "commands.md": commands(),
        "findings.md": findings(),
        "benchmarks.md": benchmarks(descriptions),
        "objects.md": objects(),
        "schema.json": json.dumps(schema(), indent=1) + "\n",
    }


def commands() -> str:
    """Return a section for leadline itself and one for each command, as `--help` prints them."""
    lines = ["# Commands", "", "What `--help` prints of each command.", ""]
    for heading, rows in group.sections(click.Context(group)).items():
        named = ", ".join(f"[{name}](#leadline-{name})" for name, _ in rows)
        lines.append(f"- {heading}: {named}")
    return "\n".join([*lines, *_command_sections(group, "leadline", None)]) + "\n"


def _command_sections(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    context = command.make_context(
        name, [], parent, resilient_parsing=True, max_content_width=90, terminal_width=90
    )
    lines = [f"\n## {context.command_path}\n\n```\n{command.get_help(context)}\n```"]
    if isinstance(command, click.Group):
        for child_name in getattr(command, "rows", ()):
            if child := command.get_command(context, child_name):
                lines += _command_sections(child, child_name, context)
    for option, mode in getattr(command, "modes", {}).items():
        lines += _command_sections(mode.load(), f"{name} {option}", parent)
    return lines


def findings() -> str:
    """Return an entry for each kind of finding, under the question that it answers."""
    lines = [
        "# Findings\n",
        "A finding is the answer to one of five questions about a run. Each has its numbers as",
        "evidence (`--json` and the report show them), and most have advice with one command. How",
        "rules decide: [findings](../explanation/findings.md).",
    ]
    known = list(RULES.values())
    for topic, question in TOPICS.items():
        lines.append(f"\n## {question}")
        lines += [line for one in known if one.topic == topic for line in _finding(one)]
    return "\n".join(lines) + "\n"


def _finding(one: Rule) -> list[str]:
    lines = [f"\n### {one.kind}\n\n{one.definition}"]
    if one.background:
        lines.append(f"\n{one.background}")
    lines.append(f"\n**What to do:** {one.cure}")
    if one.evidence:
        lines.append("\n| evidence | meaning |\n|---|---|")
        lines += [f"| `{name}` | {meaning} |" for name, meaning in one.evidence.items()]
    if one.source:
        lines.append(f"\n**Source:** {one.source}.")
    return lines


def known_descriptions() -> list[Description]:
    """Return what probes of MPI say, and those of OpenSHMEM that are built on this machine."""
    built = [
        described_probe(each, "shmem") for each in find_installations() if "shmem" in each.apis
    ]
    return [catalogue("mpi").description, *(probe.description for probe in built if probe)]


def benchmarks(descriptions: list[Description]) -> str:
    """Return a section for each benchmark, as the first of these probes that has it says."""
    lines = [
        "# Benchmarks\n",
        "What probes say of themselves, of OpenSHMEM where one is built here. An option of",
        "`leadline run` is an axis: `leadline run mpi/pingpong --bytes 8,64K`. Each *time* is one",
        "series of results. How families are measured: [benchmarks](../explanation/benchmarks.md).",
    ]
    known = {each.name: each for one in reversed(descriptions) for each in one.benchmarks}
    settings = {each.name: each for one in reversed(descriptions) for each in one.settings}
    lines += ["\n## Settings\n\nEvery benchmark has these options, too."]
    lines += _axes(tuple(settings.values()))
    for family in dict.fromkeys(name.partition("/")[0] for name in sorted(known)):
        lines.append(f"\n## {family}")
        for name in sorted(known):
            if name.startswith(f"{family}/"):
                lines += _benchmark(known[name])
    return "\n".join(lines) + "\n"


def _benchmark(benchmark: Benchmark) -> list[str]:
    summary = benchmark.summary
    lines = [f"\n### {benchmark.name}", "", f"{summary[:1].upper()}{summary[1:]}.", ""]
    lines += [f"- time `{each.name}`: {each.definition}" for each in benchmark.series]
    lines += [f"- processes: {_processes(benchmark)}; start: `{benchmark.start}`"]
    return lines + (_axes(benchmark.axes) if benchmark.axes else [])


def _axes(axes: tuple[Axis, ...]) -> list[str]:
    rows = [
        f"| `{one.name}` | {f'`{one.default}`' if one.default else ''} | {_cell(one.summary)} |"
        for one in axes
    ]
    return ["", "| option | default | meaning |", "|---|---|---|", *rows]


def _processes(benchmark: Benchmark) -> str:
    asked = benchmark.processes
    most = f" to {asked.maximum}" if asked.maximum else " or more"
    exact = str(asked.minimum) if asked.minimum == asked.maximum else f"{asked.minimum}{most}"
    return exact + (f", a multiple of {asked.multiple_of}" if asked.multiple_of > 1 else "")


def objects() -> str:
    """Return a section for each object that `--json` prints: what it is, and its fields."""
    lines = [
        "# Objects\n",
        "The objects within what `--json` prints, by name: [which command prints which](json.md).",
    ]
    for name, definition in sorted(schema()["$defs"].items()):
        text = re.sub(r"\n +", "\n", definition["description"])
        lines.append(f"\n## {name}\n\n{text}\n\n| field | type |\n|---|---|")
        fields = definition.get("properties", {})
        lines += [f"| `{field}` | {_cell(_type(kind))} |" for field, kind in fields.items()]
    return "\n".join(lines) + "\n"


def _type(kind: Any) -> str:
    """Return a type of the schema in words."""
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower().replace('.', '')})"
    if "anyOf" in kind:
        return " or ".join(_type(one) for one in kind["anyOf"])
    if "enum" in kind:
        return ", ".join(f"`{value}`" for value in kind["enum"])
    if "prefixItems" in kind:
        return "array of " + ", ".join(_type(one) for one in kind["prefixItems"])
    if isinstance(kind.get("items"), dict):
        return f"array of {_type(kind['items'])}"
    if isinstance(kind.get("additionalProperties"), dict):
        return f"object, each value {_type(kind['additionalProperties'])}"
    return {"string": "text"}.get(kind.get("type", ""), str(kind.get("type", "anything")))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a run as `--json` prints it; `$defs` has all other objects."""
    _, definitions = msgspec.json.schema_components(PRINTED, ref_template="#/$defs/{name}")
    analysis = definitions.pop("Analysis")["properties"]
    run = Run(run="r", leadline="", plan=Plan(entries=()), started="", outcome=_OUTCOME)
    keys = list(answer(run, Path("r"), Analysis(points=(), sweeps=())))
    special = {
        "format": {"const": ANSWER_FORMAT},
        "run": {"type": "string"},
        "folder": {"type": ["string", "null"]},
        "outcome": {"$ref": "#/$defs/Outcome"},
        "undecided": {"type": "array", "items": {"type": "string"}},
        "clocks": _of_launch("Clock"),
        "company": _of_launch("Interference"),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What leadline run, survey and show print with --json",
        "type": "object",
        "properties": {key: special.get(key) or analysis.get(key, True) for key in keys},
        "required": keys,
        "$defs": definitions,
    }


_OUTCOME = Outcome(state="complete")


def _of_launch(name: str) -> dict[str, Any]:
    """Return the schema of an array of objects, each of one launch."""
    launch = {"type": "object", "properties": {"launch": {"type": "integer"}}}
    return {"type": "array", "items": {"allOf": [{"$ref": f"#/$defs/{name}"}, launch]}}


def _cell(text: str) -> str:
    return re.sub(r"\|", r"\\|", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write the files")
    target = parser.parse_args().folder
    target.mkdir(parents=True, exist_ok=True)
    for page, text in pages(known_descriptions()).items():
        (target / page).write_text(text)
