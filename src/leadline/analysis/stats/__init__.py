"""Statistics of plain numbers: intervals, tests, shapes of distributions, changes in time."""
