"""`leadline show --findings`: what runs and other programs' files mean, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from leadline.cli.completion import complete_runs
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.units import parse_rate
from leadline.model.imported import Bound

if TYPE_CHECKING:
    from leadline.analysis.findings.evidence import Past
    from leadline.model.summary import Finding


_SEVERITIES = ("problem", "notice", "fact")


@declared()
def command(
    words: tuple[str, ...] = argument("RUN|FILE...", shell_complete=complete_runs),
    explained: str | None = option(
        "Explain a kind of finding, or list all kinds.",
        "--explain [KIND]",
        is_flag=False,
        flag_value="",
    ),
    as_json: bool = Shared.json,
    wanted: tuple[str, ...] = option(
        "Show only findings of this kind; may be repeated.", "--kind KIND"
    ),
    min_severity: str = option(
        "Show only findings at least this severe.",
        type=click.Choice(_SEVERITIES),
        default="fact",
    ),
    link_rate: str | None = option(
        "Rate of a link between nodes, such as 10Gbit/s or 1250MB/s.", "RATE"
    ),
    against: tuple[str, ...] = option(
        "An earlier run to compare with; several show how much runs vary.", "RUN|FILE"
    ),
    runs: Path = Shared.runs,
) -> None:
    """Explain runs, and recommend what to do.

    RUN is a name that `leadline runs` lists, its unique beginning, `last`, or a path. FILE is the
    output of IMB, OSU or another program, or a CSV file with a mapping next to it. Each is examined
    alone. Of a kind that repeats itself only the first are printed; --kind and --json print all.
    """
    from leadline.exchange.analysis import analysis_of
    from leadline.exchange.subject import measured
    from leadline.output.terminal.findings import print_findings_of

    if explained is not None:
        _explain(explained)
        return
    if not words:
        raise UserError("missing RUN|FILE: name a run, such as last, or a file")
    _check_kinds(wanted)
    bounds = (_link(link_rate),) if link_rate else ()
    past = [_past(word, runs) for word in against]
    past.sort(key=lambda one: one.started)
    least = _SEVERITIES.index(min_severity)
    found: list[tuple[str, list[Finding]]] = []
    for word in words:
        run, samples, _ = measured(word, runs)
        analysis = analysis_of(run, samples)
        every = analysis.findings
        if past or bounds:
            from leadline.analysis.findings.conclude import find

            every = find(run, analysis, past, bounds)
        kept = [
            one
            for one in every
            if (not wanted or one.kind in wanted) and _SEVERITIES.index(one.severity) <= least
        ]
        found.append((run.run, kept))
    if as_json:
        listed: list[dict[str, Any]] = [
            {"subject": name, **msgspec.to_builtins(one)} for name, kept in found for one in kept
        ]
        print_json({"findings": listed})
    else:
        for name, kept in found:
            print_findings_of(name, kept, everything=bool(wanted))


def _past(word: str, runs: Path) -> Past:
    from leadline.analysis.compare.interference import interference_text, watched
    from leadline.analysis.findings.evidence import Past
    from leadline.exchange.analysis import figures_of
    from leadline.exchange.subject import measured

    found = measured(word, runs)
    run, figures = found.run, figures_of(found.run, found.samples)
    return Past(run.run, run.started, figures, interference_text(run) if watched(run) else None)


def _link(text: str) -> Bound:
    rate = parse_rate(text) / 1e6
    return Bound(quantity="bandwidth_MBps", value=rate, where="network", source="--link-rate")


def _explain(kind: str) -> None:
    from leadline.analysis.findings.kinds import RULES
    from leadline.output.terminal.findings import print_explanation, print_kinds

    if kind:
        _check_kinds((kind,))
        print_explanation(RULES[kind])
    else:
        print_kinds(RULES.values())


def _check_kinds(wanted: tuple[str, ...]) -> None:
    from leadline.analysis.findings.kinds import kinds

    for kind in wanted:
        if kind not in kinds():
            raise UserError(f"no findings of kind {kind!r}: {suggestion(kind, kinds())}")
