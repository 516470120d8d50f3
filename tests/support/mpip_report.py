"""Reports as mpiP prints them, made of declared times after the format that it documents."""

LINE = "-" * 75
# What a program does in the reports: calls and seconds of each rank, its shortest and longest call.
HALO = {
    "call": "Waitall", "sent": None,
    "frames": [("halo.c", 88, "exchange(Grid&, int)"), ("main.c", 41, "main")],
    "ranks": [(500, 0.9, 0.0011, 0.004), (500, 1.1, 0.0012, 0.006), (500, 0.7, 0.001, 0.003),
              (500, 0.2, 0.0002, 0.0009)],
}  # fmt: skip
SEND = {
    "call": "Isend", "sent": 6000, "frames": [("halo.c", 71, "exchange(Grid&, int)")],
    "ranks": [(1000, 0.012, 1e-5, 4e-5)] * 4,
}  # fmt: skip
SUM = {
    "call": "Allreduce", "sent": 8, "frames": [("0x4005d2", 0, "[unknown]")],
    "ranks": [(250, 0.55, 0.0018, 0.0042), (250, 0.5, 0.0017, 0.0041), (250, 0.6, 0.002, 0.0044),
              (250, 0.03, 0.0001, 0.0003)],
}  # fmt: skip
ROOT = {
    "call": "Bcast", "sent": 40, "frames": [("main.c", 17, "main")],
    "ranks": [(1, 2e-5, 2e-5, 2e-5), (1, 3e-5, 3e-5, 3e-5), (1, 3e-5, 3e-5, 3e-5),
              (1, 2.5e-5, 2.5e-5, 2.5e-5)],
}  # fmt: skip
SITES = (SEND, HALO, SUM, ROOT)


def _heading(title):
    return [LINE, f"@--- {title} ".ljust(75, "-"), LINE]


def report(app=(10.0, 10.0, 10.0, 10.0), sites=SITES, *, hosts=("node1", "node1", "node2", "node2"),
           command="./wave -n 400", detail=True, threshold=0.0, version="3.5.0"):  # fmt: skip
    """Return a report; without `detail` as with -d, ranks below `threshold` percent left out."""
    mpi = [sum(site["ranks"][rank][1] for site in sites) for rank in range(len(app))]
    lines = [
        "@ mpiP",
        f"@ Command : {command} ",
        *(
            f"@ {name:<24} : {value}"
            for name, value in (
                ("Version", version),
                ("MPIP Build date", "Jan  5 2026, 10:00:00"),
                ("Start time", "2026 01 31 10:15:00"),
                ("Stop time", "2026 01 31 10:15:10"),
                ("Timer Used", "PMPI_Wtime"),
                ("MPIP env var", "[null]"),
                ("Collector Rank", "0"),
                ("Collector PID", "4711"),
                ("Final Output Dir", "."),
                ("Report generation", "Single collector task"),
                *(("MPI Task Assignment", f"{at} {host}") for at, host in enumerate(hosts)),
            )
        ),
        "",
        *_heading("MPI Time (seconds)"),
        f"{'Task':<4} {'AppTime':>10} {'MPITime':>10}    {'MPI%':>5}",
        *(
            f"{at:4d} {one:10.3g} {two:10.3g}    {100 * two / one:5.2f}"
            for at, (one, two) in enumerate(zip(app, mpi, strict=True))
        ),
        f"   * {sum(app):10.3g} {sum(mpi):10.3g}    {100 * sum(mpi) / sum(app):5.2f}",
        *_heading(f"Callsites: {len(sites)}"),
        f"{'ID':>3} {'Lev':>3} {'File/Address':<18} {'Line':>5} {'Parent_Funct':<24} MPI_Call",
        *(line for at, site in enumerate(sites, 1) for line in _frames(at, site)),
        *_heading("Aggregate Time (top twenty, descending, milliseconds)"),
        f"{'Call':<20} {'Site':>4} {'Time  ':>12}{'App%':>6}  {'MPI%':>6}     {'Count':>6} "
        f"{'COV':>6}",
        *_aggregate(sites, app, mpi),
        *_heading("Aggregate Sent Message Size (top twenty, descending, bytes)"),
        f"{'Call':<20} {'Site':>4} {'Count':>10} {'Total':>10} {'Avrg':>10} {'Sent%':>6}",
        *_largest(sites),
    ]
    if detail:
        lines += _times(sites, app, mpi, threshold) + _sent(sites)
    return "\n".join([*lines, *_heading("End of Report"), ""])


def _frames(at, site):
    for level, (file, line, function) in enumerate(site["frames"]):
        call = site["call"] if level == 0 else ""
        if line:
            yield f"{at:3d} {level:3d} {file:<18} {line:5d} {function:<24} {call}"
        else:
            yield f"{at:3d} {level:3d} {file:<24} {function:<24} {call}"


def _all(site):
    ranks = site["ranks"]
    return (sum(one[0] for one in ranks), sum(one[1] for one in ranks),
            min(one[2] for one in ranks), max(one[3] for one in ranks))  # fmt: skip


def _aggregate(sites, app, mpi):
    for at, site in sorted(enumerate(sites, 1), key=lambda one: -_all(one[1])[1]):
        calls, seconds, _, _ = _all(site)
        yield (
            f"{site['call']:<20} {at:4d} {seconds * 1e3:10.3g}  {100 * seconds / sum(app):6.2f}  "
            f"{100 * seconds / sum(mpi):6.2f} {calls:10d}   0.20"
        )


def _largest(sites):
    sent = {at: site["sent"] * _all(site)[0] for at, site in enumerate(sites, 1) if site["sent"]}
    for at in sorted(sent, key=lambda one: -sent[one]):
        site = sites[at - 1]
        yield (
            f"{site['call']:<20} {at:4d} {_all(site)[0]:10d} {sent[at]:10.3g} "
            f"{site['sent']:10.3g} {100 * sent[at] / sum(sent.values()):6.2f}"
        )


def _times(sites, app, mpi, threshold):
    lines = _heading(f"Callsite Time statistics (all, milliseconds): {len(sites) * len(app)}")
    lines.append(
        f"{'Name':<17} {'Site':>4} {'Rank':>4} {'Count':>6} {'Max':>8} {'Mean':>8} {'Min':>8} "
        f"{'App%':>6} {'MPI%':>6}"
    )
    for name, at, site in sorted((site["call"], at, site) for at, site in enumerate(sites, 1)):
        rows = [(rank, *one, app[rank], mpi[rank]) for rank, one in enumerate(site["ranks"])]
        rows = [row for row in rows if 100 * row[2] / row[6] >= threshold]
        for rank, calls, seconds, least, most, whole, in_mpi in (
            *rows, ("*", *_all(site), sum(app), sum(mpi))
        ):  # fmt: skip
            lines.append(
                f"{name:<17} {at:4d} {rank!s:>4} {calls:6d} {most * 1e3:8.3g} "
                f"{seconds * 1e3 / calls:8.3g} {least * 1e3:8.3g} {100 * seconds / whole:6.2f} "
                f"{100 * seconds / in_mpi:6.2f}"
            )
        lines.append("")
    return lines[:-1]


def _sent(sites):
    lines = _heading("Callsite Message Sent statistics (all, sent bytes)")
    lines.append(
        f"{'Name':<17} {'Site':>4} {'Rank':>4} {'Count':>7} {'Max':>9} {'Mean':>9} {'Min':>9} "
        f"{'Sum':>9}"
    )
    order = sorted((site["call"], at, site) for at, site in enumerate(sites, 1) if site["sent"])
    for name, at, site in order:
        rows = [(rank, one[0]) for rank, one in enumerate(site["ranks"])]
        for rank, calls in (*rows, ("*", _all(site)[0])):
            size = site["sent"]
            lines.append(
                f"{name:<17} {at:4d} {rank!s:>4} {calls:7d} {size:9.4g} {size:9.4g} {size:9.4g} "
                f"{calls * size:9.4g}"
            )
        lines.append("")
    return lines[:-1]
