"""All runs in a browser on the same machine: listed, opened, compared, followed over time.

Read-only. Requests pass `guard`; `catalogue` says what there is; `results` makes and keeps what
takes time; `application` answers with `pages` or JSON; `server` listens.
"""
