"""The verdict: the answer of a run on one screen, made of its figures and findings."""

from leadline.analysis.verdict.actions import actions, next_step
from leadline.analysis.verdict.headlines import headlines
from leadline.analysis.verdict.trust import trust
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.model.verdict import Verdict


def verdict_of(run: Run, analysis: Analysis) -> Verdict:
    """Return the headline figures, what costs most, how far to trust it, and what to do next."""
    grade = trust(run, analysis)
    urgent = actions(run, analysis, grade)
    text, command = next_step(run, analysis, grade, urgent)
    return Verdict(
        headlines=headlines(run, analysis),
        actions=urgent,
        trust=grade,
        next=text,
        next_command=command,
    )
