"""The verdict: the answer of a run on one screen, made of its figures and findings."""

from leadline.analysis.verdict.actions import actions, next_step
from leadline.analysis.verdict.headlines import headlines, standing
from leadline.analysis.verdict.trust import trust
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.model.verdict import Verdict


def verdict_of(run: Run, analysis: Analysis) -> Verdict:
    """Return whether the MPI is good, its figures, what costs most, trust, and the next step."""
    figures = headlines(run, analysis)
    grade = trust(run, analysis)
    urgent = actions(run, analysis, grade)
    text, command = next_step(run, analysis, grade, urgent)
    return Verdict(
        standing=standing(figures, grade),
        headlines=figures,
        actions=urgent,
        trust=grade,
        next=text,
        next_command=command,
    )
