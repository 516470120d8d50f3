"""What was meant by a mistyped name."""

import pytest

from leadline.core.names import nearest, suggestion


@pytest.mark.parametrize(
    ("word", "meant"), [("survye", "survey"), ("SURVEY", "survey"), ("pingpong", "mpi/pingpong")]
)
def test_the_nearest_name_is_found(word, meant):
    assert nearest(word, ["placement", "survey", "mpi/pingpong"]) == meant


def test_where_none_is_near_all_are_named():
    assert suggestion("qqq", ["a", "b"]) == "there is a, b"
    assert suggestion("qqq", []) == "there is none"
