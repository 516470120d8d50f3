"""Network links that counted errors during the measurement."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.compare.interference import launches_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "hardware"
ADVICE = "Check the cable and both ends of the link."
EVIDENCE = {
    "errors": "errors counted",
    "dropped": "packets dropped",
    "launches": "launches with errors",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each link with errors. Dropped packets count only beside them.

    Hosts drop what is not for them, such as packets of protocols that they do not know.
    """
    seen: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for launch in evidence.run.launches:
        for link in launch.company.links if launch.company else ():
            if link.errors:
                seen[link.name][launch.launch] = (link.errors, link.dropped)
    for name, launches in seen.items():
        errors, dropped = (sum(each) for each in zip(*launches.values(), strict=True))
        lost = f" and dropped {count(dropped, 'packet')}" if dropped else ""
        where = launches_text(tuple(launches), len(watched(evidence.run)))
        yield Finding(
            severity="notice",
            text=f"Link {name} counted {count(errors, 'error')}{lost} {where}: "
            "packets are sent again.",
            evidence={
                "errors": float(errors),
                "dropped": float(dropped),
                "launches": float(len(launches)),
            },
            advice=ADVICE,
            command=f"ip -s -s link show {name}",
        )
