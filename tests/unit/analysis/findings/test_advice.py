"""Every kind of advice was tried, or promises nothing."""

from tried_advice import FOLLOWED, MEASURED, PROMISES_NOTHING

from leadline.analysis.findings.advice import Advise


def test_each_kind_was_followed_or_promises_nothing():
    tried = FOLLOWED.keys() | MEASURED
    assert set(Advise) == tried | PROMISES_NOTHING
    assert not tried & PROMISES_NOTHING
