"""All runs in a browser on the same machine: listed, opened, compared, followed over time.

Read-only. Requests pass `guard`; `catalogue` says what there is; `results` makes and keeps what
takes time; `jobs` has those of a site; `served` has all three. `run_pages`, `night_pages` and
`job_pages` answer with one of the `pages`, a report or JSON; `application` finds them; `server`
listens.
"""
