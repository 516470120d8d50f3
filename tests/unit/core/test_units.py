"""Sizes as people write them."""

import pytest

from leadline.core import errors
from leadline.core.errors import UserError
from leadline.core.units import expand_values, parse_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [("4e3", 4000), ("1.5K", 1536), ("0x10", 16), ("100T", 100 * 2**40), ("8 KiB", 8192),
     ("0.5M", 524288), ("1e99", 10**99)],
)  # fmt: skip
def test_a_whole_number_of_bytes_is_taken_however_it_is_written(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("8-64K", "a range is 8:64K:x2, a list 8,64K"),
        ("8 64K", "a range is 8:64K:x2, a list 8,64K"),
        ("1.3K", "write 1331"),
        ("-8", "write 8, 65536, 64K, 4M or 1G"),
        ("1e999", "write 8, "),
    ],
)
def test_what_is_no_size_is_answered_with_what_to_write(text, told):
    with pytest.raises(UserError, match=told):
        expand_values(text)


def test_a_decimal_unit_is_taken_and_said_once(capsys):
    errors.say_once.cache_clear()
    assert [parse_bytes(text) for text in ("4KB", "4KB", "4KiB")] == [4096, 4096, 4096]
    assert capsys.readouterr().err == (
        "leadline: 4KB is 4096 bytes: K, M and G are powers of 1024\n"
    )
