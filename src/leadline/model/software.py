"""The software of a machine, settings of its MPIs, and in what two machines or dates differ."""

from typing import Literal

import msgspec

SOFTWARE_FORMAT = 1


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is installed, in one version.

    `version` is empty where it is not known, `path` where it is no file. `detail` says more in
    words. `default_for` maps what people write (`cc`, `mpicc`, `libblas.so.3`) to why this item is
    what they get; each such word is a default of one item of its kind.
    """

    kind: str
    name: str
    version: str = ""
    path: str = ""
    detail: dict[str, str] = {}
    default_for: dict[str, str] = {}


class Software(msgspec.Struct, frozen=True, kw_only=True):
    """What was found on a machine at a time, as `leadline mpi software --save` keeps it.

    `kinds` are those that were looked for: of others nothing is known. With `partial` there may be
    more of these kinds than `items` tells, as in the record of a run, but not of those in `whole`.
    `of` is the program or the process whose libraries these are, empty for a whole machine.
    `remarks` has one line for each thing that could not be asked.
    """

    format: int = SOFTWARE_FORMAT
    leadline: str
    host: str
    time: str
    of: str = ""
    partial: bool = False
    whole: tuple[str, ...] = ()
    kinds: tuple[str, ...]
    items: tuple[Item, ...]
    remarks: tuple[str, ...] = ()

    def lacks(self, kind: str) -> bool:
        """Tell whether there may be more of `kind` than the items tell."""
        return self.partial and kind not in self.whole


class SoftwareChange(msgspec.Struct, frozen=True, kw_only=True):
    """One difference: versions, builds or what a default is, on either side; empty for none."""

    kind: str
    name: str
    change: Literal[
        "only in base", "only in other", "other version", "other build", "other default"
    ]
    base: str
    other: str


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A knob of leadline's, a variable of MPI_T or the environment, or a hint of MPI-IO.

    A `stray` variable of the environment is one that nothing of the library reads.
    `value` is what holds now and `default` what would hold with a clean environment, as text; None
    where it is not known or, for an environment variable, not set. `source` says where a value
    that is not the default comes from, as far as that is known. `variable` is the environment
    variable that sets it. `values` says in words what may be chosen, `choices` lists it. `sets` are
    the variables that a knob becomes with `example`; `lacking` is why it becomes nothing, or why a
    hint does nothing here.
    """

    name: str
    kind: Literal["knob", "variable", "stray", "control", "counter", "hint"]
    description: str = ""
    type: str = ""
    value: str | None = None
    default: str | None = None
    source: str = ""
    variable: str = ""
    values: str = ""
    choices: tuple[str, ...] = ()
    scope: str = ""
    verbosity: str = ""
    categories: tuple[str, ...] = ()
    example: str = ""
    sets: dict[str, str] = {}
    lacking: str = ""

    @property
    def changed(self) -> bool:
        """Whether something but the library chose the value."""
        if self.kind in ("variable", "stray", "hint"):
            return self.value is not None
        return self.default is not None and self.value != self.default


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A variable with its value and what sets it: `environment`, or the path of a file."""

    name: str
    value: str
    source: str
