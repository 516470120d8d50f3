"""Knobs whose value the library ignored."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.measure.knobs.values import same_value
from leadline.model.run import Launch
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Look for a variable or file that sets another value, or a version without the variable: "
    "`leadline knobs NAME`."
)
EVIDENCE = {"launches": "launches in which the library ignored the value"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each control variable that a knob set and the library has otherwise."""
    found: dict[tuple[str, str, str, str | None], list[Launch]] = {}
    for launch in evidence.run.launches:
        # A launch that never began to measure has told nothing; only MPI can be asked.
        if not launch.library or launch.api != "mpi":
            continue
        knobs = ",".join(f"{name}={value}" for name, value in launch.knobs.items())
        for name, asked in launch.asked_controls.items():
            has = launch.controls.get(name)
            if has is None or not same_value(asked, has):
                found.setdefault((launch.mpi, knobs, name, has), []).append(launch)
    for (mpi, knobs, name, has), launches in found.items():
        asked = launches[0].asked_controls[name]
        what = f"{name} is {has}, not {asked}" if has is not None else f"{name} is unknown to it"
        points = [
            index
            for index, point in enumerate(evidence.points)
            if point.mpi == mpi and point.knobs == launches[0].knobs
        ]
        yield Finding(
            severity="problem",
            text=f"{mpi} ignored {knobs}: {what}. The figures of "
            f"{count(len(launches), 'launch')} do not show this setting.",
            evidence={"launches": float(len(launches))},
            advice="Look for a variable or a file that sets another value.",
            command=f"leadline knobs --mpi {mpi} {name}",
            points=tuple(points),
        )
