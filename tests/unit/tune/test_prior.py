"""Tables that ship with leadline: what several profiles have in common."""

import pytest
from checkout import CHECKOUT

from leadline.core.errors import UserError
from leadline.model.profile import Profile, Rule
from leadline.tune.prior import LIBRARIES, common_choices, table_of
from leadline.tune.profile import read_profile


def profile(*rules, library="MPICH Version: 5.0.2"):
    return Profile(format=1, machine="m", library=library, rule=rules)


def rule(first, last, algorithm="shared", collective="bcast", processes=2):
    return Rule(
        collective=collective, algorithm=algorithm, nodes=1, processes=processes,
        from_bytes=first, to_bytes=last,
    )  # fmt: skip


def ranges(made):
    return [(each.collective, each.from_bytes, each.to_bytes) for each in made.rule]


def test_only_what_won_everywhere_is_kept():
    one = profile(rule(0, 1024), rule(2048, None), rule(0, 64, collective="reduce"))
    two = profile(rule(8, 4096), rule(0, 64, "binomial", "reduce"), rule(0, 9, processes=4))
    made = common_choices([one, two], "mpich")
    assert ranges(made) == [("bcast", 8, 1024), ("bcast", 2048, 4096)]
    assert (made.machine, made.library) == ("any", "MPICH Version")


def test_the_library_is_no_choice_of_a_table():
    assert common_choices([profile(rule(0, 8, "library"))], "mpich").rule == ()


def test_open_ranges_stay_open():
    assert ranges(common_choices([profile(rule(0, None)), profile(rule(8, None))], "mpich")) == [
        ("bcast", 8, None)
    ]


def test_profiles_of_another_family_are_refused():
    with pytest.raises(UserError, match="another family than openmpi"):
        common_choices([profile(rule(0, 8))], "openmpi")
    with pytest.raises(UserError, match="no profile"):
        common_choices([], "mpich")


@pytest.mark.parametrize("family", LIBRARIES)
def test_each_table_that_ships_is_of_its_family_and_known_algorithms(family):
    table = table_of(family)
    assert table is not None
    made = read_profile(table)
    assert (made.machine, made.library) == ("any", LIBRARIES[family])
    assert made.rule and not made.setting
    for each in made.rule:
        files = list((CHECKOUT / "algorithms").rglob(f"{each.collective}-{each.algorithm}.cpp"))
        assert len(files) == 1, each
        # On one node, the way in which ranks meet does not depend on the network.
        assert each.nodes == 1
