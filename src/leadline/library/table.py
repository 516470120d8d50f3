"""Tables as Python programs take them: columns, or what pandas and Arrow make of them."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadline.core.errors import UserError


@dataclass(frozen=True)
class Table:
    """Columns of equal length by name, of numbers or of objects; None stands for no value."""

    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`. Raises `UserError` where pandas is not installed."""
        return _import("pandas").DataFrame(dict(self.columns))

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`. Raises `UserError` where pyarrow is not installed."""
        return _import("pyarrow").table(dict(self.columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Give the table to whatever reads Arrow, such as polars or DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _import(package: str) -> Any:
    """Return an optional package. Raises `UserError` where it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{package} is not installed: `python -m pip install {package}`, or take the columns "
            "of the table, which are numpy's"
        ) from error
