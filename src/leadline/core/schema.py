"""What msgspec says of a wrong file, in the words of whoever writes the file."""

import re
from typing import Any

import msgspec
from msgspec import inspect

from leadline.core.names import suggestion

_KINDS = {
    "array": 'a list, such as ["A", "B"]',
    "int": "a whole number, such as 3",
    "float": "a number, such as 0.5",
    "bool": "true or false",
    "object": "a table",
    "str": 'text, such as "A"',
}
_GOT = {"str": "text", "int": "a number", "float": "a number", "bool": "true or false",
        "array": "a list", "object": "a table", "null": "nothing"}  # fmt: skip


def explain(error: msgspec.ValidationError, schema: type[msgspec.Struct]) -> str:
    """Return what is wrong with the table that should have been a `schema`.

    >>> class Mine(msgspec.Struct, forbid_unknown_fields=True):
    ...     launches: int = 3
    >>> def told(table):
    ...     try:
    ...         msgspec.convert(table, Mine)
    ...     except msgspec.ValidationError as error:
    ...         return explain(error, Mine)
    >>> told({"launches": "3"})
    'launches is text: write a whole number, such as 3'
    >>> told({"lanches": 3})
    'unknown key lanches: did you mean launches?'
    """
    message, _, where = str(error).partition(" - at ")
    steps = re.findall(r"\[(\d+|\.\.\.)\]|\.([^.\[`]+)", where)
    words = [name or number for number, name in steps]
    if found := re.search(r"unknown field `(.+)`", message):
        keys = [field.encode_name for field in _fields(schema, words)]
        return f"unknown key {found[1]}{_place(words)}: {suggestion(found[1], keys)}"
    if found := re.search(r"missing required field `(.+)`", message):
        inner = [*words, found[1]]
        return f"{found[1]}{_place(words)} is missing: write {_example(schema, inner)}"
    if found := re.search(r"Expected `(.+)`, got `(.+)`", message):
        wanted = next((_KINDS[kind] for kind in found[1].split(" | ") if kind in _KINDS), found[1])
        return f"{_subject(words)} is {_GOT.get(found[2], found[2])}: write {wanted}"
    if found := re.search(r"Invalid enum value (.+)", message):
        choices = _all(_type_at(schema, words), "values")
        hint = suggestion(found[1].strip("'"), map(str, choices))
        return f"{_subject(words)} is {found[1]}: {hint}"
    return f"{_subject(words)}: {message}" if words else message


def _subject(words: list[str]) -> str:
    if words and words[-1].isdigit():
        return f"{_subject(words[:-1])} {int(words[-1]) + 1}"
    return f"{words[-1]}{_place(words[:-1])}" if words else "the file"


def _place(words: list[str]) -> str:
    """Return in which table a key is: ` in [[entries]] 1`."""
    if not words:
        return ""
    if words[-1].isdigit():
        return f" in [[{'.'.join(words[:-1])}]] {int(words[-1]) + 1}"
    return f" in [{'.'.join(words)}]"


def _type_at(schema: type[msgspec.Struct], words: list[str]) -> Any:
    """Return msgspec's description of what is at the place that the words name, or None."""
    kind: Any = inspect.type_info(schema)
    for word in words:
        items = _all(kind, "item_type") or _all(kind, "value_type")
        fields = {field.encode_name: field.type for field in _all(kind, "fields")}
        kind = fields.get(word, items[0] if items else None)
    return kind


def _all(kind: Any, attribute: str) -> list[Any]:
    """Return what the type, or any of those in a union, has of an attribute."""
    found: list[Any] = []
    for each in getattr(kind, "types", (kind,)):
        value = getattr(each, attribute, ())
        found += value if isinstance(value, tuple) else [value]
    return found


def _fields(schema: type[msgspec.Struct], words: list[str]) -> list[Any]:
    return _all(_type_at(schema, words), "fields")


def _example(schema: type[msgspec.Struct], words: list[str]) -> str:
    kind = _type_at(schema, words)
    items = _all(kind, "item_type")
    if any(isinstance(each, inspect.StructType) for each in items):
        return f"[[{words[-1]}]] and its keys"
    if items:
        return f'{words[-1]} = ["A", "B"]'
    if isinstance(kind, inspect.StructType):
        return f"[{words[-1]}] and its keys"
    value = "1" if isinstance(kind, inspect.IntType | inspect.FloatType) else '"A"'
    return f"{words[-1]} = {value}"
