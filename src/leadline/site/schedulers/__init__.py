"""Schedulers, one folder each: what hands out nodes, or shows a machine that has none.

A folder has, as far as the scheduler knows of it: `jobs.py` with a `SOURCE` (jobs and nodes),
`batch.py` with a `BATCH` (job scripts), `allocation.py` with an `ALLOCATION` (`--hosts NAME`) and
`topology.py` with a `PROVIDER` (how nodes are joined). Three things stand elsewhere, because other
programs than schedulers have them too: a launcher of its own (`srun` in `measure/launch/direct.py`;
its failures are in the folder), a format of rank orders (`topology/rank_order/formats.py`), and the
variable that numbers a job (`JOB_VARIABLES` in `batch_system.py`).
"""
