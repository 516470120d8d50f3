"""All runs in a browser on the same machine: listed, opened, compared, followed over time.

Read-only. Requests pass `guard`; `catalogue` says what there is; `results` makes and keeps what
takes time; `served` has both. `run_pages` and `night_pages` answer with one of the `pages`, a
report or JSON; `application` finds them; `server` listens.
"""
