"""TOML that is written is TOML, and as people and the runtime read it."""

import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.core.toml import format_toml

PRINTED = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
ROWS = st.lists(st.tuples(st.integers(0, 2**40), st.floats(0, 1e18)).map(list), max_size=20)
KEYS = st.text("abcxyz_0189", min_size=1)
VALUES = st.one_of(PRINTED, st.booleans(), st.integers(-(2**60), 2**60), ROWS)
TABLES = st.dictionaries(KEYS, VALUES)


@settings(max_examples=10)
@given(
    TABLES.flatmap(
        lambda plain: st.fixed_dictionaries(
            {**{key: st.just(value) for key, value in plain.items()},
             "Table": TABLES, "Tables": st.lists(TABLES, min_size=1)}
        )
    ),
    st.lists(PRINTED),
)  # fmt: skip
def test_what_is_written_is_read_back(table, comments):
    assert tomllib.loads(format_toml(table, comments)) == table


def test_tables_have_headers_however_short_they_are():
    text = format_toml({"rule": [{"a": 1}], "node": {"b": 2}})
    assert "[[rule]]\na = 1\n" in text and "[node]\nb = 2\n" in text


def test_a_long_array_has_a_row_on_each_line():
    rows = [[2**n, 0.125 * n] for n in range(20)]
    text = format_toml({"rows": rows})
    assert len(text.splitlines()) == len(rows) + 2
    assert tomllib.loads(text) == {"rows": rows}
