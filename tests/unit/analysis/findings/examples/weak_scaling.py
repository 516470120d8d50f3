"""Work of which each process has as much, on 1 to 16 processes."""

SOURCE = "synthetic"


def evidence(makers):
    return makers.evidence(
        [
            makers.figure(
                seconds,
                None,
                processes=count,
                nodes=count,
                processes_per_node=1,
                metrics={"problem_size": 100.0 * count},
            )
            for count, seconds in ((1, 1.0), (4, 1.1), (16, 1.8))
        ]
    )
