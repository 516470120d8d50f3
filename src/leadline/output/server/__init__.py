"""All runs in a browser on the same machine: listed, opened, compared, followed over time.

Read-only. Requests pass `guard`; `catalogue` says what there is; `results` makes and keeps what
takes time; `served` has both. Each module of `addresses` answers with one of the `pages`, or JSON;
`application` finds them; `server` listens.
"""
