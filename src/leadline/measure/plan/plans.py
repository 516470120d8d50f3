"""Plans as TOML files: those that leadline ships, and the user's own."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.schema import explain
from leadline.core.shipped import source_folder
from leadline.model.placement import parse_placement
from leadline.model.plan import Plan


def shipped_plans() -> dict[str, Path]:
    """Return the plans in `plans/` by name."""
    return {path.stem: path for path in sorted((source_folder() / "plans").glob("*.toml"))}


def read_plan(name: str) -> Plan:
    """Return the plan in the file `name`, or the shipped plan of that name.

    Raises `UserError` that names the file and the key which is wrong.
    """
    path = plan_path(name)
    if not path.suffix and not path.exists():
        hint = suggestion(name, shipped_plans())
        raise UserError(f"no plan {name!r}: {hint} (a plan may be a TOML file, too)")
    return to_plan(read_table(path), path)


def plan_path(name: str) -> Path:
    """Return the file of the shipped plan `name`, or the one of that name."""
    path = Path(name)
    return path if path.suffix else shipped_plans().get(name, path)


def read_table(path: Path) -> dict[str, Any]:
    """Return what the TOML file holds. Raises `UserError` that names it."""
    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(
            f"plan {path} cannot be read ({reason}): name a TOML file, or one of "
            f"{', '.join(shipped_plans())}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"plan {path} is not TOML: {error}") from error


def to_plan(table: dict[str, Any], path: Path) -> Plan:
    """Return the plan that the table of the file `path` spells. Raises `UserError`."""
    try:
        return msgspec.convert(_spelt_out({"name": path.stem, **table}), Plan)
    except msgspec.ValidationError as error:
        raise UserError(f"plan {path}: {explain(error, Plan)}") from error
    except UserError as error:
        raise UserError(f"plan {path} is wrong: {error}") from error


def _spelt_out(data: dict[str, Any]) -> dict[str, Any]:
    """Replace what TOML lets people write short: placements as text, values as lists."""
    entries = data.get("entries")
    entries = entries if isinstance(entries, list) else []
    for table in (data, *(entry for entry in entries if isinstance(entry, dict))):
        if isinstance(table.get("placements"), list):
            table["placements"] = [
                msgspec.to_builtins(parse_placement(each)) if isinstance(each, str) else each
                for each in table["placements"]
            ]
        for key in ("knobs",) if table is data else ("axes", "settings"):
            if isinstance(table.get(key), dict):
                table[key] = {name: _text(value) for name, value in table[key].items()}
    return data


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return ",".join(str(each) for each in value)
    return str(value) if isinstance(value, int | float) else value
