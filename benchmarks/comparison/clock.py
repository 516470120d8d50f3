"""What the harness and its clock cost, and how well clocks agree where the truth is known."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec

from comparison.measure import Measurement
from leadline.core.errors import UserError
from leadline.model.run import Clock

_CHECK = re.compile(
    r"CHECK\( (?P<what>\w+\.(?:error|bound)) .* is correct!\n\s+values: CHECK\( (?P<value>\S+) "
)
_CASE = re.compile(r"^TEST CASE:  (?P<name>.+)$", re.MULTILINE)


class ClockCost(Clock, frozen=True, kw_only=True):
    """Medians over leadline's launches of what `run.json` says of the clock, all in seconds."""

    launches: int


def clock_cost(measurements: Iterable[Measurement]) -> ClockCost | None:
    """Return the clock's cost on the quiet machine; None where leadline has not run."""
    import numpy as np

    clocks = [
        clock for each in measurements if each.condition == "quiet" for clock in each.reading.clocks
    ]
    if not clocks:
        return None
    told = {
        name: [value for clock in clocks if (value := getattr(clock, name)) is not None]
        for name in ClockCost.__struct_fields__
        if name.endswith("_s")
    }
    medians = {name: float(np.median(values)) for name, values in told.items() if values}
    return ClockCost(
        launches=len(clocks),
        source=clocks[0].source,
        shared=all(clock.shared for clock in clocks),
        **medians,
    )


class KnownClocks(msgspec.Struct, frozen=True, kw_only=True):
    """One test on simulated clocks, whose true time is known; largest values in seconds.

    `values` holds `error`, the distance from the truth, and `bound`, what the harness states,
    by the name that the test gives them.
    """

    test: str
    values: dict[str, float]


def known_clocks(program: Path) -> list[KnownClocks] | None:
    """Run the clock tests of `program`, the harness's own tests; None where it is not built.

    Raises `UserError` where a test fails.
    """
    if not program.is_file():
        return None
    done = subprocess.run(
        [str(program), "--source-file=*clock_test.cpp", "--success", "--no-colors"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        raise UserError(f"the clock tests fail: run {program} to see which")
    return parse_checks(done.stdout)


def parse_checks(output: str) -> list[KnownClocks]:
    """Return the largest value of each error and bound that doctest prints, by test."""
    _, *parts = _CASE.split(output)
    found: dict[str, dict[str, float]] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        values = found.setdefault(name.strip(), {})
        for check in _CHECK.finditer(text):
            value = float(check["value"])
            values[check["what"]] = max(value, values.get(check["what"], value))
    return [KnownClocks(test=name, values=values) for name, values in found.items() if values]
