"""What to do about a program's time: the rules, by kind."""

import msgspec

from leadline.explain import advice_on_calls, advice_on_ranks
from leadline.explain.case import Advice, Case

# A rule is a function of one of the two modules; its name says the kind.
RULES = {
    name.removeprefix("advise_"): rule
    for module in (advice_on_calls, advice_on_ranks)
    for name, rule in vars(module).items()
    if name.startswith("advise_")
}


def advice(case: Case) -> tuple[Advice, ...]:
    """Return what to do, that on which most time depends first."""
    found = [
        msgspec.structs.replace(each, kind=kind)
        for kind, advise in RULES.items()
        for each in advise(case)
    ]
    return tuple(sorted(found, key=lambda each: -each.stake_s))
