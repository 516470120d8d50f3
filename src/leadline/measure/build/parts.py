"""What a probe is made of: parts, which are loaded, and what each of them can measure."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from leadline.model.description import Description, Value

_FOLDER = Path(__file__).with_name("catalogue")


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Sources that are linked together, and the parts that they need.

    A source that several name is of the first. Those of the layer `base` know no MPI. The others
    are of the API that their layer names.
    """

    name: str
    layer: str
    sources: tuple[str, ...]
    requires: tuple[str, ...] = ()


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """What all parts of a probe say together, as `tools/catalogue` writes it.

    `benchmarks` names the part of each benchmark, and `choices` that of those values of its axes
    which another part brings: by benchmark, axis and value.
    """

    description: Description
    benchmarks: dict[str, str]
    choices: dict[str, dict[str, dict[str, str]]] = {}

    def parts(self, points: Iterable[tuple[str, Mapping[str, Value]]]) -> set[str]:
        """Return the parts that these benchmarks need with these values of their axes."""
        names = set()
        for benchmark, values in points:
            names.add(self.benchmarks[benchmark])
            for axis, parts in self.choices.get(benchmark, {}).items():
                names.update(parts.get(each, "") for each in str(values.get(axis, "")).split(","))
        return names - {""}


@cache
def catalogue(api: str) -> Catalogue:
    """Return the catalogue of `mpi` or `fake`."""
    return msgspec.json.decode(catalogue_file(api).read_bytes(), type=Catalogue)


def catalogue_file(api: str) -> Path:
    """Return the file of the catalogue of an API."""
    return _FOLDER / f"{api}.json"


@cache
def parts(source: Path) -> dict[str, Part]:
    """Return the parts by name, as the sources in `source` have them."""
    file = source / "probes/parts.json"
    listed = msgspec.json.decode(file.read_bytes(), type=tuple[Part, ...])
    return {each.name: each for each in listed}


def in_order(names: Iterable[str], known: Mapping[str, Part]) -> list[str]:
    """Return these parts and all that they need, each after what it needs.

    >>> a = Part(name="a", layer="base", sources=())
    >>> b = Part(name="b", layer="mpi", sources=(), requires=("a",))
    >>> c = Part(name="c", layer="mpi", sources=(), requires=("a", "b"))
    >>> in_order(["c"], {"a": a, "b": b, "c": c})
    ['a', 'b', 'c']
    """

    def needed(name: str) -> Iterator[str]:
        for each in known[name].requires:
            yield from needed(each)
        yield name

    return list(dict.fromkeys(each for name in sorted(names) for each in needed(name)))
