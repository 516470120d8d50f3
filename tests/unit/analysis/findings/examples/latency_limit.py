"""A message that software slows down."""

from dataclasses import replace

from leadline.model.imported import Bound

SOURCE = "synthetic"


def evidence(makers):
    bound = Bound(quantity="latency_s", value=2e-7, where="network", source="link hfi0")
    between = makers.figure(1.1e-6, 0, nodes=2, processes_per_node=1)
    whole = makers.evidence([between], benchmarks=[])
    return replace(whole, bounds=(bound,))
