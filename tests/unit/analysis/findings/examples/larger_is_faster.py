"""A collective with a poor algorithm from 2 KiB to 8 KiB, on four numbers of processes."""

SOURCE = "synthetic"


def seconds(size, nodes):
    return (5e-6 + size / 2e9) * nodes**0.5 * (2.6 if 2048 <= size <= 8192 else 1)


def evidence(makers):
    return makers.evidence(
        [
            one
            for nodes in (2, 4, 8, 16)
            for one in makers.curve(
                lambda size, nodes=nodes: seconds(size, nodes),
                processes=nodes,
                nodes=nodes,
                processes_per_node=1,
            )
        ]
    )
