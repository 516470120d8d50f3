"""Other programs, or other virtual machines, used the processors while the run lasted."""

from collections.abc import Iterator

from leadline.analysis.compare.interference import interferers, launches_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import whole_run
from leadline.core.units import percent
from leadline.model.run import Run
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Stop the programs named and measure again, or ask for exclusive nodes."
EVIDENCE = {
    "busy_fraction": "processors' time that went to programs other than the ranks",
    "stolen_fraction": "processors' time that the hypervisor gave to other virtual machines",
    "launches": "launches above the limit",
}

# Kernel threads and the system's own services take up to a few per cent.
_LIMITS = {"busy_fraction": 0.1, "stolen_fraction": 0.05}

_MEANING = {
    "busy_fraction": "Other programs used {share} of the processors' time",
    "stolen_fraction": "Other virtual machines took {share} of the processors' time",
}
_DOUBT = {
    "busy_fraction": "These are the figures of a shared machine.",
    "stolen_fraction": "No program on this machine can prevent that.",
}
_NAMED = 2


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each kind of load, and the users' programs that caused it."""
    run = evidence.run
    for name, limit in _LIMITS.items():
        share = run.load_during.get(name, 0.0)
        busy = {number: part for number, part in _by_launch(run, name).items() if part > limit}
        if share <= limit and not busy:
            continue
        when, shown, most = "", share, ""
        if share <= limit:
            shown, most = max(busy.values()), "up to "
            when = f" {launches_text(tuple(busy), len(watched(run)))}"
        who = _who(run) if name == "busy_fraction" else []
        of = len(watched(run))
        named = "; ".join(f"{words} {launches_text(numbers, of)}" for words, numbers in who)
        yield Finding(
            severity="notice",
            text=f"{_MEANING[name].format(share=most + percent(shown))}{when}"
            f"{f': {named}' if named else ''}. {_DOUBT[name]}",
            evidence={name: shown} | ({"launches": float(len(busy))} if busy else {}),
            # Nobody can end the kernel's threads, or another guest.
            advice="Stop these programs and measure again." if who else None,
            command=whole_run(evidence) if who else None,
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


def _who(run: Run) -> list[tuple[str, tuple[int, ...]]]:
    """Return the programs of users that were seen, and the launches of each."""
    return [(one.words, one.launches) for one in interferers(run) if one.kind == "program"][:_NAMED]
