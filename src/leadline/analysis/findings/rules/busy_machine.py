"""The machine had other work while the run lasted, or in some of its launches."""

from collections.abc import Iterator

from leadline.analysis.compare.interference import interferers, launches_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import percent
from leadline.model.run import Run
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "End what it names, or ask for exclusive nodes; stolen time of a virtual machine is another"
    " guest's."
)

# Kernel threads and the system's own services take up to a few per cent.
_LIMITS = {"busy_fraction": 0.1, "stolen_fraction": 0.05}

_MEANING = {
    "busy_fraction": "others than the ranks used {share} of the processors' time",
    "stolen_fraction": "the hypervisor gave {share} of the processors' time to other machines",
}
_NAMED = 3


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each kind of load that was there beside the ranks, and who caused it."""
    run = evidence.run
    for name, limit in _LIMITS.items():
        share = run.load_during.get(name, 0.0)
        busy = {number: part for number, part in _by_launch(run, name).items() if part > limit}
        if share <= limit and not busy:
            continue
        when, shown = "While the run lasted", share
        if share <= limit:
            shown = max(busy.values())
            when = f"{launches_text(tuple(busy), len(watched(run))).capitalize()}"
        most = "" if share > limit else "up to "
        who = _who(run) if name == "busy_fraction" else ""
        yield Finding(
            severity="notice",
            text=f"{when} {_MEANING[name].format(share=most + percent(shown))}{who}: the "
            "figures are those of a shared machine.",
            evidence={name: shown} | ({"launches": float(len(busy))} if busy else {}),
            advice=_advice(name, who),
        )


def _by_launch(run: Run, name: str) -> dict[int, float]:
    """Return the part of all processors' time that others used in each launch, where known."""
    found = {}
    for launch in run.launches:
        if company := launch.company:
            cores = company.cores
            busy = cores / company.processors if cores is not None and company.processors else None
            part = busy if name == "busy_fraction" else company.stolen_fraction
            if part is not None:
                found[launch.launch] = part
    return found


def _who(run: Run) -> str:
    of = len(watched(run))
    found = [
        f"{one.words} {launches_text(one.launches, of)}"
        for one in interferers(run)
        if one.kind.startswith("program")
    ]
    return f", above all {'; '.join(found[:_NAMED])}" if found else ""


def _advice(name: str, who: str) -> str:
    if name == "stolen_fraction":
        return "`leadline doctor` says whether it goes on; only the host can change it."
    if who:
        return "End it, or measure when it has ended."
    return "`leadline doctor` names the busiest processes."
