"""What findings advise: every sentence that a rule can end with.

A rule says no other: the type of a finding's advice is made here alone. What promises to gain time
is followed and measured by `tests/full/analysis/test_advice.py`, and what did not come true there
is no advice.
"""

from enum import Enum, unique

from leadline.model.summary import Advice


@unique
class Advise(Enum):
    """Kinds of advice; a call fills in what a sentence leaves open."""

    # What is faster.
    TUNE = "Tune it, then start programs with leadline exec: no recompiling."
    USE = "Use {choice} there."
    USE_LIBRARY = "Use {library} where {where}."
    USE_EACH = "Use each where its sizes matter."
    SET = "Set {knob}={value} where this matters, if the plan conformance passes with it."
    BREAKS = "Leave {knob}={value} alone in programs that call {calls}, which fails with it."
    CALL = "Call {calls} instead."
    PAD = "Pad such data up to {size}."
    JOIN = "Join small {what} into {sizes}."
    START_ALL = (
        "Start small messages all before waiting for any: {factor} as many in the same time."
    )
    USE_SIDE = "Use {side} communication where this time matters."
    USE_BOTH_SIDES = "Use {small} messages up to {last} and {large} ones from {first} on."
    PUT = "Put the values into the neighbours' memory ({way})."
    ONE_NODE = "Keep ranks that exchange messages{until} on one node."
    FEWER_ON_A_NODE = "Use fewer processes on each node to save up to {share} of the time."
    SPREAD = "Spread pairs that send at once over more nodes or links."
    ONE_ON_A_CORE = "Place at most one process on a core."
    KEEP_MEMORY = "Allocate memory once, write to all of it before the first call, and keep it."
    # What its command measures.
    EAGER_LIMIT = "Try an eager limit of {size}."
    AGAIN = "Measure again."
    AGAIN_FROM_BARRIER = "Measure again, started after a barrier."
    AGAIN_LATER = "Measure again when this has ended."
    GO_ON = "Measure again to get the rest; what was measured is kept."
    MEND = "Mend the cause, then measure again."
    STOP = "Stop {programs}, then measure again."
    PIN = "Pin the ranks."
    MORE_LAUNCHES = "Measure more launches."
    MORE_REPETITIONS = "Measure more repetitions; the median is not affected, p99 and maximum are."
    MORE_TIME = "Give the measurement more time."
    LESS_PRECISION = "Accept less precision."
    LARGER = "Measure larger {what} too."
    MORE_PROCESSES = "Measure on more processes before relying on this."
    WIDER_SPACERS = "Try wider spacers."
    SEVERAL_TIMES = "Measure several times on a quiet machine, and import all outputs together."
    MANY_RUNS = "Compare such choices only over many runs, and note the load of each."
    # What to look at, and what not to rely on.
    SHOW = "Look again later."
    COMPARE = "Compare both runs: library, kernel, variables and neighbours that changed are named."
    LINES = "Look at these lines, and import the whole output again."
    CHECKED = "{advice}"
    CLOCK = "Check the clock source first."
    PATH = (
        "Check whether the data took another path, such as memory, or the time ends before the "
        "data are there."
    )
    CORES = "Find out what shares the cores."
    CHANGES = "Find out what changes: the clock frequency, another process or the place of memory."
    MEMORY = "Find out whether memory is short."
    LATE_RANK = "Check the core and the node of the late rank."
    DAEMON = "Find the program that wakes up this often."
    INTERRUPTS = "Compare the counts in /proc/interrupts before and after a run."
    CABLE = "Check the cable and both ends of the link."
    VARIABLE = "Look for a variable or a file that sets another value."
    LAUNCHER = (
        "Check the batch system and the launcher's variables: one of them overrules the order."
    )
    ASSUMPTIONS = "Look up the assumptions of the model."
    UPPER_BOUND = "Take the figure as an upper bound: nothing is subtracted."
    NOT_THIS = "Do not use this choice."

    def __call__(self, **values: str) -> Advice:
        """Return the sentence with these values."""
        return Advice(self.value.format(**values))
