"""The figures of a run with pandas, as one would write it by hand: `with_pandas.py TABLE`."""

import json
import sys

import pandas as pd


def figures(path: str) -> list[dict[str, float]]:
    """Return for each point and series the figures of `leadline show --json` that need samples."""
    columns = ["point", "series", "launch", "repetition", "seconds", "flags"]
    table = pd.read_parquet(path, columns=columns)
    keys = ["point", "series", "launch", "repetition"]
    calls = table.groupby(keys, sort=False, observed=True).agg(
        seconds=("seconds", "max"), flags=("flags", "max")
    )
    # Bit 1 is late_start.
    calls = calls[calls["flags"] & 2 == 0]
    per_launch = calls.groupby(level=keys[:3])["seconds"].median()
    by_point = calls.groupby(level=keys[:2])["seconds"]
    found = pd.DataFrame(
        {
            "median_s": per_launch.groupby(level=keys[:2]).median(),
            "samples": by_point.count(),
            "mean_s": by_point.mean(),
            "min_s": by_point.min(),
            "max_s": by_point.max(),
            "p90_s": by_point.quantile(0.90, interpolation="higher"),
            "p99_s": by_point.quantile(0.99, interpolation="higher"),
        }
    )
    return found.reset_index().to_dict("records")


if __name__ == "__main__":
    json.dump(figures(sys.argv[1]), sys.stdout)
