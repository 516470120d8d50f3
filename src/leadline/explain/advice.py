"""What to do about a program's time: the rules, by kind."""

import msgspec

from leadline.explain.advice_on_calls import (
    advise_eager_limit,
    advise_late_receiver,
    advise_polling,
    advise_set_up,
    advise_small_messages,
    advise_tune_collectives,
    advise_use_profile,
)
from leadline.explain.advice_on_ranks import (
    advise_more_ranks_than_cores,
    advise_noise,
    advise_rank_order,
    advise_slow_node,
    advise_uneven_work,
)
from leadline.explain.case import Advice, Case

RULES = {
    "eager_limit": advise_eager_limit,
    "late_receiver": advise_late_receiver,
    "more_ranks_than_cores": advise_more_ranks_than_cores,
    "noise": advise_noise,
    "polling": advise_polling,
    "rank_order": advise_rank_order,
    "set_up": advise_set_up,
    "slow_node": advise_slow_node,
    "small_messages": advise_small_messages,
    "tune_collectives": advise_tune_collectives,
    "uneven_work": advise_uneven_work,
    "use_profile": advise_use_profile,
}


def advice(case: Case) -> tuple[Advice, ...]:
    """Return what to do, that on which most time depends first."""
    found = [
        msgspec.structs.replace(each, kind=kind)
        for kind, advise in RULES.items()
        for each in advise(case)
    ]
    return tuple(sorted(found, key=lambda each: -each.stake_s))
