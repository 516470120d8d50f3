"""The differences of software between two machines, or of one machine at two dates."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from leadline.model.software import Software, SoftwareChange

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
    changes = [
        *_of_versions(base, other),
        *_of_builds(base, other),
        *_of_defaults(base, other),
    ]
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
    """Yield the libraries of the same version that are not the same file."""
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
        kind=key[0],
        name=key[1],
        change=change,
        base=", ".join(base),
        other=", ".join(other),
    )
