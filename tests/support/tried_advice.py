"""How each kind of advice was tried: what promises time has a trial, the rest promises none."""

import re

from leadline.analysis.findings.advice import Advise
from leadline.model.summary import Finding

# Kinds by the trial in `tests/full/analysis/test_advice.py` that follows them and measures.
FOLLOWED = {
    Advise.TUNE: "tuned",
    Advise.USE: "algorithm",
    Advise.SET: "eager_limit",
    Advise.EAGER_LIMIT: "eager_limit",
    Advise.JOIN: "join",
    Advise.START_ALL: "start_all",
    Advise.USE_SIDE: "puts",
    Advise.USE_BOTH_SIDES: "puts",
    Advise.PUT: "puts",
    Advise.SPREAD: "spread_pairs",
    Advise.FEWER_ON_A_NODE: "spread_pairs",
    Advise.ONE_NODE: "one_node",
    Advise.KEEP_MEMORY: "keep_memory",
}
# Kinds of which both sides are figures of the run, so that following them is what was measured:
# their gain is the ratio of the two, and its whole interval lies above 1.
MEASURED = {
    Advise.USE_LIBRARY,
    Advise.USE_EACH,
    Advise.CALL,
    Advise.PAD,
    Advise.USE,
    Advise.SET,
    Advise.PUT,
}
# Kinds that promise no time: to measure more, to look at something, or not to rely on a figure.
PROMISES_NOTHING = {
    Advise.AGAIN, Advise.AGAIN_FROM_BARRIER, Advise.AGAIN_LATER, Advise.ASSUMPTIONS, Advise.BREAKS,
    Advise.CABLE, Advise.CHANGES, Advise.CHECKED, Advise.CLOCK, Advise.COMPARE, Advise.CORES,
    Advise.DAEMON,
    Advise.GO_ON, Advise.INTERRUPTS, Advise.LARGER, Advise.LATE_RANK, Advise.LAUNCHER,
    Advise.LESS_PRECISION, Advise.LINES, Advise.MANY_RUNS, Advise.MEMORY, Advise.MEND,
    Advise.MORE_LAUNCHES, Advise.MORE_PROCESSES, Advise.MORE_REPETITIONS, Advise.MORE_TIME,
    Advise.NOT_THIS, Advise.ONE_ON_A_CORE, Advise.PATH, Advise.PIN, Advise.SEVERAL_TIMES,
    Advise.SHOW, Advise.STOP, Advise.UPPER_BOUND, Advise.VARIABLE, Advise.WIDER_SPACERS,
}  # fmt: skip


def promises(finding: Finding) -> bool:
    """Tell whether a finding promises time as it may: sure of it, by advice that was tried."""
    gain = finding.gain
    if gain is None:
        return True
    kinds = [each for each in Advise if each not in PROMISES_NOTHING and _is(each, finding.advice)]
    return bool(kinds) and (gain.low or gain.times) > 1


def _is(kind: Advise, advice: str | None) -> bool:
    pattern = re.sub(r"\\{\w+\\}", ".*", re.escape(kind.value))
    return bool(re.fullmatch(pattern, advice or ""))
