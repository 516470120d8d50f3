"""Where the time of a parallel program goes: from a recording of its calls to owners and advice.

`recording` reads what the preloaded library wrote; `owners` gives each second to one owner, by the
`bounds` that were measured; `lateness` says who came last; `advice` what to do.
"""
