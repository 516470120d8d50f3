"""What to run: the same whether it comes from TOML or from the command line."""

from typing import Literal

import msgspec

from leadline.model.description import Value as Value
from leadline.model.placement import Placement
from leadline.model.published import Claim, Program


class Stopping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a point has been measured enough in one launch.

    Stop when the 95 % interval of the median is within `precision` of it and at least `minimum`
    repetitions are in, or at `maximum` repetitions, or after `seconds`.
    """

    precision: float = 0.02
    minimum: int = 20
    maximum: int = 10_000
    seconds: float = 1.0


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Benchmarks measured over the product of their axes.

    A name with `*` or `?` means every benchmark that it matches and the placement suits. `axes`
    holds the text of each axis as a user writes it; an axis left out takes the benchmark's
    `values`: its default ones, or those for a quick look. `settings` are the harness's own (start,
    cache, ...). An `optional` entry is left out where nothing here offers its benchmarks. With
    `placements` it is measured on these of the plan's alone.
    """

    benchmarks: tuple[str, ...]
    placements: tuple[Placement, ...] = ()
    axes: dict[str, str] = {}
    settings: dict[str, str] = {}
    values: Literal["default", "quick"] = "default"
    optional: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that a run is asked to do.

    `knobs` has the values of each knob (`measure.knobs`) as a user writes them, with commas; all
    is measured with each combination. `launcher` names a launcher instead of the MPI's own. With
    `batch`, the name of a batch system, the launches are carried out in a job that gets the
    `batch_options` too. With `roofs`, what bounds a benchmark is measured beside it. With
    `platform`, the name or file of a machine (`topology.platforms`), all is simulated on it, with
    the `changes` that a question "what if" makes. Launches that do not fit into `budget_s` are left
    out, but in a job. The
    `claims` are published results to hold the figures against, and the `program` is a recorded one
    whose calls the figures stand for. With `victims`, only so many nodes
    of each placement measure, and the others disturb them or keep away; of a placement on one node
    so many processes. A second job, which the knob `beside` asks for, is on the `background_hosts`.
    """

    entries: tuple[Entry, ...]
    placements: tuple[Placement, ...] = (Placement(1, 2),)
    mpi: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    remote_shell: str = ""
    launcher: str = ""
    knobs: dict[str, str] = {}
    victims: int = 0
    background_hosts: tuple[str, ...] = msgspec.field(name="beside_hosts", default=())
    platform: str = ""
    changes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    program: Program | None = None
    batch: str = ""
    batch_options: tuple[str, ...] = ()
    launches: int = 3
    stopping: Stopping = Stopping()
    seed: int | None = None
    bind: bool = True
    oversubscribe: bool = False
    roofs: bool = True
    time_limit_s: float | None = None
    budget_s: float | None = None
    name: str = ""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to measure: a benchmark with a value for each of its axes and settings.

    `placement` is that of the ranks that measure. `knobs` are those of the launch. `library` is the
    kernel that was built for the point, of benchmarks that have some.
    """

    index: int
    benchmark: str
    axes: dict[str, Value]
    settings: dict[str, Value]
    placement: Placement
    mpi: str
    api: str = msgspec.field(name="transport")
    knobs: dict[str, str] = {}
    library: str = ""

    @property
    def conditions(self) -> dict[str, Value]:
        """Under what the benchmark runs: all that was chosen beside its own axes."""
        return {**self.settings, **self.knobs}
