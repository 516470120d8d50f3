"""An environment variable, or an entry of a file of parameters, that configures a program."""

import msgspec


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A variable with its value and what sets it: `environment`, or the path of a file."""

    name: str
    value: str
    source: str
