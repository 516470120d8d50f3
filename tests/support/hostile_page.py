"""A run whose every text is markup that would run, were it not escaped, and its page."""

import msgspec
from example_run import MadeUpSamples, example_analysis, example_run

from leadline.model.run import Outcome
from leadline.output.html.charts import keep_samples
from leadline.output.html.html import render

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>\u2028"


def hostile_run():
    """Return the example run with markup wherever a text comes from outside."""
    run = example_run(HOSTILE)
    run.machine["host"] = HOSTILE
    run.machine[HOSTILE] = {HOSTILE: [HOSTILE]}
    run.doctor[0]["observed"] = HOSTILE
    run.outcome = Outcome(state="failed", message=HOSTILE)
    run.points = [
        msgspec.structs.replace(point, mpi=HOSTILE) if point.mpi == "mpich" else point
        for point in run.points
    ]
    return run


def hostile_page():
    """Return its page, of hostile figures and findings."""
    plain = example_run()
    analysis = example_analysis()
    points = tuple(
        msgspec.structs.replace(point, mpi=HOSTILE) if point.mpi == "mpich" else point
        for point in analysis.points
    )
    findings = tuple(
        msgspec.structs.replace(finding, text=HOSTILE, advice=HOSTILE, evidence={HOSTILE: 1.0})
        for finding in analysis.findings
    )
    hostile = msgspec.structs.replace(analysis, points=points, findings=findings)
    return render(hostile_run(), hostile, keep_samples(plain, MadeUpSamples(plain)))
