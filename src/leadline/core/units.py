"""Numbers, sizes, times and lists of values as people write and read them: every text of a
number, in sentences and in tables, is made here.
"""

import math
import re
from fractions import Fraction

from leadline.core.errors import UserError, say_once

_SUFFIX = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(
    r"(0x[0-9a-f]+|\d+(?:\.\d+)?(?:e\d\d?)?)\s?([kmgt]?)(i?b)?", re.IGNORECASE | re.ASCII
)


def parse_bytes(text: str) -> int:
    """Return the size in bytes that `text` means: `65536`, `64K`, `1.5M`, `4e3`, `0x10`.

    K, M, G and T are powers of 1024. With a B after them, which elsewhere is a power of 1000, the
    user is told so.

    >>> parse_bytes("64K"), parse_bytes("1.5K"), parse_bytes("4e3"), parse_bytes("0x10")
    (65536, 1536, 4000, 16)

    Raises `UserError` for anything else.
    """
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise UserError(f"size {text!r} is not a whole number of bytes: {_what_to_write(text)}")
    number, suffix, unit = found[1].lower(), found[2].upper(), found[3] or ""
    amount = int(number, 16) if number.startswith("0x") else Fraction(number)
    size = amount * _SUFFIX[suffix]
    if size != int(size):
        raise UserError(f"size {text!r} is not a whole number of bytes: write {round(size)}")
    if suffix and unit.lower() == "b":
        say_once(f"{text.strip()} is {int(size)} bytes: K, M and G are powers of 1024")
    return int(size)


def _what_to_write(text: str) -> str:
    parts = re.split(r"\s*-\s*|\s+", text.strip())
    if len(parts) == 2 and all(map(_SIZE.fullmatch, parts)):
        first, last = parts
        return f"a range is {first}:{last}:x2, a list {first},{last}"
    return "write 8, 65536, 64K, 4M or 1G"


def expand_values(text: str) -> list[int]:
    """Return the whole numbers of a list of values and ranges.

    Items are separated by commas; `FIRST:LAST:STEP` is an arithmetic range and
    `FIRST:LAST:xFACTOR` a geometric one, both with their last value included when it is met.

    >>> expand_values("0,8,1K:4K:x2")
    [0, 8, 1024, 2048, 4096]

    Raises `UserError` that names the item which cannot be read.
    """
    values: list[int] = []
    for item in text.split(","):
        values.extend(_expand_range(item) if ":" in item else [parse_bytes(item)])
    return list(dict.fromkeys(values))


def _expand_range(item: str) -> list[int]:
    parts = item.split(":")
    if len(parts) != 3:
        raise UserError(f"range {item!r} is not FIRST:LAST:STEP or FIRST:LAST:xFACTOR")
    first, last = parse_bytes(parts[0]), parse_bytes(parts[1])
    geometric = parts[2].lower().startswith("x")
    step = parse_bytes(parts[2].lower().removeprefix("x"))
    if last < first:
        raise UserError(f"range {item!r} ends below its start: write {parts[1]}:{parts[0]}:...")
    if step < (2 if geometric else 1) or (geometric and first == 0):
        raise UserError(f"range {item!r} never ends: a step is 1 or more, a factor 2 or more")
    if not geometric and (last - first) // step > 100_000:
        raise UserError(f"range {item!r} has more than 100000 values: take a larger step")
    values = []
    while first <= last:
        values.append(first)
        first = first * step if geometric else first + step
    return values


def parse_percent(text: str) -> float:
    """Return the fraction that `text` means in percent, with or without the sign.

    >>> parse_percent("5%")
    0.05

    Raises `UserError` for anything but a number from 0 to 1000.
    """
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= 1000:
        raise UserError(f"{text!r} is no percentage: write a number from 0 to 1000, such as 5%")
    return percent / 100


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_duration(text: str) -> int:
    """Return the seconds that `text` means: `90s`, `30m`, `6h`, `1d`.

    >>> parse_duration("30m")
    1800

    Raises `UserError` for anything else, and for no time at all.
    """
    stripped = text.strip().lower()
    count, unit = stripped[:-1], _SECONDS.get(stripped[-1:])
    if unit is None or not (count.isascii() and count.isdigit() and int(count) > 0):
        raise UserError(f"{text!r} is no duration: write 90s, 30m, 6h or 1d")
    return int(count) * unit


def format_bytes(size: float | None) -> str:
    """Return `size` with the largest binary suffix that keeps it whole, `-` for none.

    >>> format_bytes(65536)
    '64 KiB'
    """
    if size is None:
        return "-"
    whole = round(size)
    for suffix, name in (("G", "GiB"), ("M", "MiB"), ("K", "KiB")):
        if whole and whole % _SUFFIX[suffix] == 0:
            return f"{whole // _SUFFIX[suffix]} {name}"
    return f"{whole} B"


def about_bytes(size: float) -> str:
    """Return a size for a sentence, with two significant digits.

    >>> about_bytes(17610035), about_bytes(24424 * 1024), about_bytes(12)
    ('17 MiB', '24 MiB', '12 B')
    """
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if abs(size) >= 1024**power:
            scaled = size / 1024**power
            return f"{scaled:.1f} {unit}" if scaled < 9.95 else f"{scaled:.0f} {unit}"
    return f"{size:.0f} B"


def format_seconds(seconds: float | None) -> str:
    """Return `seconds` with three significant digits in ns, us, ms or s, `-` for none.

    >>> format_seconds(1.234e-6)
    '1.23 us'
    """
    if seconds is None or not math.isfinite(seconds):
        return "-"
    for unit, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if abs(seconds) * scale < 999.5:
            return f"{seconds * scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds:#.3g}".rstrip(".") + " s"


def number(value: float) -> str:
    """Return a number for a sentence: three significant digits, large ones without exponent.

    >>> number(3.4), number(12345)
    ('3.40', '12300')
    """
    short = f"{value:#.3g}".rstrip(".")
    return short if abs(value) < 999.5 else f"{float(short):.0f}"


def format_figure(value: float | None, factor: float = 1, padded: bool = True) -> str:
    """Return `value` times `factor` for a table: four significant digits and all before the point.

    `-` stands for none. `padded` keeps the zeros at the end, by which a column stays even.

    >>> format_figure(12.3), format_figure(12.3, padded=False), format_figure(123456.7)
    ('12.30', '12.3', '123457')
    """
    if value is None or not math.isfinite(value):
        return "-"
    scaled = value * factor
    if scaled == 0 or abs(scaled) >= 999.95:
        return f"{scaled:.0f}"
    if abs(scaled) < 1e-4:
        return f"{scaled:.3e}"
    return f"{scaled:#.4g}" if padded else f"{scaled:.4g}"


def percent(fraction: float | None) -> str:
    """Return a fraction as a percentage with two significant digits, `-` for none.

    >>> percent(0.0342), percent(1.5)
    ('3.4 %', '150 %')
    """
    if fraction is None:
        return "-"
    return f"{100 * fraction:.2g} %" if abs(fraction) < 0.995 else f"{100 * fraction:.0f} %"


def times(ratio: float) -> str:
    """Return a ratio for a sentence: two significant digits, or three from 100 on.

    >>> times(1.8123), times(12.34), times(139.2), times(9614.4)
    ('1.8x', '12x', '139x', '9610x')
    """
    if abs(ratio) < 99.5:
        return f"{ratio:#.2g}".rstrip(".") + "x"
    return f"{float(f'{ratio:.3g}'):.0f}x"


def precise_times(ratio: float) -> str:
    """Return a ratio with the two digits behind the point that a tenth of a rate needs.

    >>> precise_times(1.25), precise_times(1.049), precise_times(12.34)
    ('1.25x', '1.05x', '12x')
    """
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.0f}x"


def rate_text(rate: float) -> str:
    """Return a rate of `rate` 10^6 bytes/s with three significant digits, in MB/s or GB/s.

    >>> rate_text(712.3), rate_text(11234)
    ('712 MB/s', '11.2 GB/s')
    """
    if abs(rate) < 999.5:
        return f"{number(rate)} MB/s"
    return f"{number(rate / 1e3)} GB/s"


def count(amount: int, noun: str) -> str:
    """Return a number with its noun, in the plural but for one.

    >>> count(1, "launch"), count(3, "launch")
    ('1 launch', '3 launches')
    """
    plural = "es" if noun.endswith(("ch", "s")) else "s"
    return f"{amount} {noun}{'' if amount == 1 else plural}"


def parse_rate(text: str) -> float:
    """Return the bytes per second that `text` means: `10Gbit/s`, `1250MB/s`, `180 MiB/s`.

    k, M and G are powers of 1000, Ki, Mi and Gi of 1024.

    >>> parse_rate("8Mbit/s")
    1000000.0

    Raises `UserError` for anything else.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kMG]|[KMG]i)?(bit|B)(?:/s|ps)", text.strip())
    if not found or float(found[1]) <= 0:
        raise UserError(f"rate {text!r} is not a number with its unit: write 10Gbit/s or 1250MB/s")
    prefix = found[2] or ""
    factor = 1024 if prefix.endswith("i") else 1000
    power = " kMG".index(prefix[:1].replace("K", "k")) if prefix else 0
    return float(found[1]) * float(factor**power) / (8 if found[3] == "bit" else 1)


def format_measured(
    value: float | None, low: float | None, high: float | None, factor: float = 1
) -> str:
    """Return `value` times `factor` for a table, with the digits that its interval bears.

    These are two to four; without an interval three, and `-` stands for none.

    >>> format_measured(0.8231, 0.799, 0.854), format_measured(14306, 14270, 14350)
    ('0.82', '14310')
    >>> format_measured(12.345, None, None)
    '12.3'
    """
    if value is None or not math.isfinite(value):
        return "-"
    digits = 3
    half = (high - low) / 2 if low is not None and high is not None else 0.0
    if half > 0 and value:
        span = math.floor(math.log10(abs(value))) - math.floor(math.log10(half))
        digits = min(max(span + 1, 2), 4)
    rounded = float(f"{value * factor:.{digits - 1}e}")
    place = math.floor(math.log10(abs(rounded))) if rounded else 0
    return f"{rounded:.{max(0, digits - 1 - place)}f}"
