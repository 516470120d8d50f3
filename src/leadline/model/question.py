"""A question that a run can answer."""

import msgspec

from leadline.model.plan import Plan


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, what is measured for it, and the kinds of finding that answer it.

    `table` names the table of figures that shows the answer (empty: none).
    """

    name: str
    text: str
    answers: tuple[str, ...]
    plan: Plan
    table: str = ""
