"""Profiles as files that the runtime reads too."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.model.profile import Measured, Profile, Rule
from leadline.tune.profile import profile_text, read_profile, unknown_names, write_profile

PROFILE = Profile(
    format=1,
    machine='x86_64 "odd" \\ name',
    library="MPICH Version: 5.0.2",
    rule=(
        Rule(collective="barrier", algorithm="shared", nodes=1, processes=2),
        Rule(
            collective="bcast", algorithm="shared", nodes=1, processes=2, to_bytes=64,
            measured=(Measured(8, 0.5, 0.25, 1.9),),
        ),
    ),
)  # fmt: skip


def test_a_profile_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "new" / "profile.toml"
    write_profile(path, PROFILE, ["made by\na test"])
    assert read_profile(path) == PROFILE
    assert path.read_text().startswith("# made by a test\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("format = 2\n", "format 2"),
        ("format = 1\nmachine = 3\nlibrary = ''\n", "machine"),
        ("format = [\n", "not TOML"),
        ("format = 1\nmachine = ''\nlibrary = ''\n[[rule]]\nbytes = 3\n", "bytes"),
        (
            "format = 1\nmachine = ''\nlibrary = ''\n[[rule]]\ncollective = 'bcast'\n"
            "algorithm = 'a'\nfrom_bytes = 9\nto_bytes = 8\n",
            "empty range",
        ),
        (
            "format = 1\nmachine = ''\nlibrary = ''\n"
            + "[[rule]]\ncollective = 'bcast'\nalgorithm = 'a'\nfrom_bytes = 8\n" * 2,
            "overlap",
        ),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(tmp_path, text, said):
    path = tmp_path / "profile.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=said) as refusal:
        read_profile(path)
    assert str(path) in str(refusal.value) and "\n" not in str(refusal.value)


def test_names_that_leadline_does_not_have_are_told():
    known = {"bcast": {"shared"}, "barrier": {"tree"}}
    (line,) = unknown_names(PROFILE, known)
    assert "'shared'" in line and "library, tree" in line


# What runtime/profile/toml.cpp reads.
STRING = r'"(?:\\["\\]|[^"\\\n])*"'
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
ARRAY = rf"\[(?:\s|,|\[|\]|{NUMBER})*\]"
LINE = rf"#.*|\[\[\w+\]\]|\w+ = (?:{STRING}|{NUMBER}|{ARRAY})|"


@settings(max_examples=20)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.integers(1, 30))
def test_a_profile_needs_no_more_of_toml_than_the_runtime_reads(name, sizes):
    rows = tuple(Measured(8**n, 0.1 * n, 1 / 3, 1e-9) for n in range(sizes))
    rules = (*PROFILE.rule, Rule(collective="bcast", algorithm="a"))
    rules += (Rule(collective="reduce", algorithm="b", from_bytes=9, measured=rows),)
    profile = msgspec.structs.replace(PROFILE, machine=name, rule=rules)
    assert re.fullmatch(rf"(?:(?:{LINE})\n)*", profile_text(profile, ["a note\n= 'b'"]))
