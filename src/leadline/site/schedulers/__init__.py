"""Schedulers, one folder each: what hands out nodes, or shows a machine that has none.

A folder has, as far as the scheduler knows of it: `jobs.py` with a `SOURCE` (jobs and nodes),
`batch.py` with a `BATCH` (job scripts), `allocation.py` with an `ALLOCATION` (`--hosts NAME`) and
`topology.py` with a `PROVIDER` (how nodes are joined). Adding a scheduler edits no list. Two things
stand where their interface is, because other programs than schedulers have them too: a launcher of
its own (`srun` in `measure/launch/direct.py`; its failures are in the folder) and a format of rank
orders (`topology/rank_order/formats.py`).
"""
