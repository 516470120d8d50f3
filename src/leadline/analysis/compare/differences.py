"""The differences of two runs beside their results, such as the kernel."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from leadline.analysis.compare.interference import interference_differs, interference_text
from leadline.model.comparison import Difference
from leadline.model.run import Run
from leadline.model.software import Software, SoftwareChange, Variable

# Others' load moves figures where it differs by more than this part of the machine.
_LOAD = 0.1

_UNSET = "not set"

# What is compared as figures are, or says nothing of what was measured.
_PLAN_LEFT_OUT = ("entries", "placements", "mpi", "knobs", "seed", "name", "batch_options")


def differences(base: Run, other: Run) -> tuple[Difference, ...]:
    """Return what the two runs know of themselves in which they differ, such as the kernel.

    What one of them does not know, as an import, is no difference. MPIs are held against those of
    the same family.
    """
    if base.imported or other.imported:
        return ()
    pairs = [
        ("leadline", base.leadline, other.leadline),
        ("simulated on", _platform(base), _platform(other)),
        *_of_platforms(base, other),
        *_of_dictionaries(base.machine, other.machine),
        *_common(_libraries(base), _libraries(other)),
        *_common(_controls(base), _controls(other)),
        *_of_variables(base, other),
        *_of_dictionaries(_plan(base), _plan(other)),
    ]
    found = [
        Difference(name=name, base=_text(one), other=_text(two))
        for name, one, two in pairs
        if one != two
    ]
    return (*found, *_load(base, other), *_interference(base, other))


def _platform(run: Run) -> str:
    if run.platform is None:
        return "nothing, measured"
    return f"{run.platform.name}, digest {run.platform.digest}"


def _of_platforms(base: Run, other: Run) -> Iterator[tuple[str, Any, Any]]:
    """Yield the numbers in which two states of one platform differ; others differ in most."""
    if base.platform and other.platform and base.platform.name == other.platform.name:
        yield from _of_dictionaries(base.platform.numbers, other.platform.numbers, "platform ")


def apart_s(base: Run, other: Run) -> float | None:
    """Return for how many seconds one of the two had ended when the other began.

    None where they were measured at the same time or nobody knows.
    """
    times = [(run.started, run.ended) for run in (base, other)]
    if base.imported or other.imported:
        return None
    (first, first_end), (second, second_end) = (
        (datetime.fromisoformat(start), datetime.fromisoformat(end or start))
        for start, end in times
    )
    apart = max(second - first_end, first - second_end).total_seconds()
    return apart if apart > 0 else None


def _of_dictionaries(
    base: dict[str, Any], other: dict[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    for name in base.keys() & other.keys():
        one, two = base[name], other[name]
        if isinstance(one, dict) and isinstance(two, dict):
            yield from _of_dictionaries(one, two, f"{prefix}{name} ")
        elif one is not None and two is not None:
            yield f"{prefix}{name}".replace("_", " "), one, two


def _libraries(run: Run) -> dict[str, str]:
    used = {point.mpi for point in run.points}
    found: dict[str, set[str]] = {}
    for each in run.installations:
        if each.name in used:
            found.setdefault(each.family, set()).add(each.version)
    return {family: ", ".join(sorted(versions)) for family, versions in found.items()}


def _common(one: dict[str, str], two: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for name in one.keys() & two.keys():
        yield name, one[name], two[name]


def _controls(run: Run) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for launch in run.launches:
        for name, value in launch.controls.items():
            found.setdefault(name, set()).add(value)
    return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def _of_variables(base: Run, other: Run) -> Iterator[tuple[str, str, str]]:
    """Yield the inherited variables that one run did not have, or had with another value."""
    if base.variables is None or other.variables is None:
        return
    one, two = _variables(base.variables), _variables(other.variables)
    for name in sorted({*one, *two}):
        yield f"variable {name}", one.get(name, _UNSET), two.get(name, _UNSET)


def _variables(variables: Iterable[Variable]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for each in variables:
        found.setdefault(each.name, []).append(f"`{each.value}` ({each.source})")
    return {name: ", ".join(values) for name, values in found.items()}


def _plan(run: Run) -> dict[str, Any]:
    plan = msgspec.to_builtins(run.plan)
    return {name: value for name, value in plan.items() if name not in _PLAN_LEFT_OUT}


def _load(base: Run, other: Run) -> Iterator[Difference]:
    one, two = (run.load_during.get("busy_fraction") for run in (base, other))
    if one is not None and two is not None and abs(one - two) > _LOAD:
        yield Difference(name="others' load", base=f"{one:.0%}", other=f"{two:.0%}")


def _interference(base: Run, other: Run) -> Iterator[Difference]:
    if interference_differs(base, other):
        one, two = (interference_text(run) or "nobody" for run in (base, other))
        yield Difference(name="others there", base=one, other=two)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_text(each) for each in value) or "none"
    if isinstance(value, dict):
        return " ".join(f"{name}={_text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "none"


_Change = Literal["only in base", "only in other", "other version", "other build"]
_Versions = dict[tuple[str, str], tuple[str, ...]]
_Defaults = dict[tuple[str, str], tuple[str, str]]


def software_changes(base: Software, other: Software) -> tuple[SoftwareChange, ...]:
    """Return the differences, by kind in the order of `base`.

    Items are the same where kind and name are; each then has a set of versions on either side.
    Only kinds that were looked for on both sides are compared, and what a `partial` side does not
    tell is not missing there. A default that changed only because its one version did is no
    difference of its own.
    """
    common = tuple(kind for kind in base.kinds if kind in other.kinds)
    changes = [*_of_versions(base, other), *_of_builds(base, other), *_of_defaults(base, other)]
    there = (change for change in changes if change.kind in common)
    return tuple(sorted(there, key=lambda change: common.index(change.kind)))


def _of_versions(base: Software, other: Software) -> Iterator[SoftwareChange]:
    ones, others = _versions(base), _versions(other)
    for key in dict.fromkeys((*ones, *others)):
        one, two = ones.get(key, ()), others.get(key, ())
        gone = [version for version in one if version not in two]
        new = [version for version in two if version not in one]
        base_lacks, other_lacks = (side.lacks(key[0]) for side in (base, other))
        if (two and not gone and base_lacks) or (one and not new and other_lacks):
            continue
        if not two and not other_lacks:
            yield _change(key, "only in base", gone, ())
        elif not one and not base_lacks:
            yield _change(key, "only in other", (), new)
        elif one and two and (gone or new):
            # A second version beside one that stayed is no other version of it.
            if gone and new:
                yield _change(key, "other version", gone, new)
            elif gone:
                yield _change(key, "only in base", gone, ())
            else:
                yield _change(key, "only in other", (), new)


def _of_builds(base: Software, other: Software) -> Iterator[SoftwareChange]:
    ones, others = _builds(base), _builds(other)
    for key in (each for each in ones if each in others):
        if ones[key] != others[key]:
            one, two = ([build[:8]] for build in (ones[key], others[key]))
            yield _change(key[:2], "other build", one, two)


def _of_defaults(base: Software, other: Software) -> Iterator[SoftwareChange]:
    ones, others = _defaults(base), _defaults(other)
    ones_versions, others_versions = _versions(base), _versions(other)
    for key in dict.fromkeys((*ones, *others)):
        one, two = ones.get(key), others.get(key)
        if one == two or (one is None and base.partial) or (two is None and other.partial):
            continue
        kind, word = key
        names = {each[0] for each in (one, two) if each}
        followed = len(names) == 1 and all(
            len(versions.get((kind, name), ())) < 2
            for name in names
            for versions in (ones_versions, others_versions)
        )
        if not followed:
            yield SoftwareChange(
                kind=kind,
                name=word,
                change="other default",
                base=" ".join(one).strip() if one else "",
                other=" ".join(two).strip() if two else "",
            )


def _versions(software: Software) -> _Versions:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in software.items:
        version = item.version or "unknown"
        if version not in found[item.kind, item.name]:
            found[item.kind, item.name].append(version)
    return {key: tuple(versions) for key, versions in found.items()}


def _builds(software: Software) -> dict[tuple[str, str, str], str]:
    return {
        (item.kind, item.name, item.version): item.detail["build"]
        for item in software.items
        if "build" in item.detail
    }


def _defaults(software: Software) -> _Defaults:
    return {
        (item.kind, word): (item.name, item.version)
        for item in software.items
        for word in item.default_for
    }


def _change(
    key: tuple[str, str], change: _Change, base: Sequence[str], other: Sequence[str]
) -> SoftwareChange:
    return SoftwareChange(
        kind=key[0], name=key[1], change=change, base=", ".join(base), other=", ".join(other)
    )
