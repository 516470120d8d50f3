"""One thing that can be set, or read, in an MPI installation."""

from typing import Literal

import msgspec


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A knob of leadline's, a control or performance variable of MPI_T, or an environment variable.

    `value` is what holds now and `default` what would hold with a clean environment, as text; None
    where it is not known or, for an environment variable, not set. `source` says where a value
    that is not the default comes from, as far as that is known. `variable` is the environment
    variable that sets it. `values` says in words what may be chosen, `choices` lists it. `sets` are
    the variables that a knob becomes with `example`; `lacking` is why it becomes nothing.
    """

    name: str
    kind: Literal["knob", "variable", "control", "counter"]
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
        if self.kind == "variable":
            return self.value is not None
        return self.default is not None and self.value != self.default
