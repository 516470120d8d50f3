"""What a check says: status, what was seen, what it means, and the cure."""

from leadline.model.summary import CheckResult

# An advice, and the command that follows it where one does.
Cure = tuple[()] | tuple[str] | tuple[str, str]


def verdict(
    status: str, observed: str, meaning: str, cure: Cure = (), /, **numbers: float
) -> CheckResult:
    """Return the result of a check, whose name its table knows."""
    advice, command = (*cure, None, None)[:2]
    return CheckResult(
        name="",
        status=status,
        observed=observed,
        meaning=meaning,
        advice=advice,
        command=command,
        numbers=numbers,
    )
