"""What on this machine disturbs a measurement, and what to do about it: all checks in one go."""

from collections.abc import Iterable
from typing import Any

import msgspec

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks import CHECKS, Check
from leadline.site.doctor.system import System

__all__ = ["System", "as_json", "examine"]


def examine(system: System | None = None) -> list[CheckResult]:
    """Return what each check finds, in the order of the checks' names.

    A check that fails gives the status `unknown` and its reason. Takes under a second.
    """
    system = system or System()
    return [_run(check, system) for check in CHECKS]


def as_json(results: Iterable[CheckResult]) -> list[dict[str, Any]]:
    """Return the results as `leadline check --json` and `run.json` hold them."""
    return [msgspec.to_builtins(result) for result in results]


def _run(check: Check, system: System) -> CheckResult:
    try:
        return check.result(system)
    except Exception as error:  # a made-up file of some kernel must not hide the other checks
        return CheckResult(
            name=check.name,
            status="unknown",
            observed=f"check failed: {type(error).__name__}: {error}",
            meaning="Whether this disturbs measurements is unknown.",
        )
