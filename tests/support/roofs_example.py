"""A benchmark of a kernel below two roofs, as a probe would describe them."""

from leadline.model.description import Axis, Benchmark, Processes, Roof

BYTES = Axis(
    name="bytes", kind="bytes", summary="", default="1K", minimum=64, maximum=2**20, multiple_of=64
)


def _benchmark(name: str, *axes: Axis, roofs: tuple[Roof, ...] = ()) -> Benchmark:
    return Benchmark(
        name=name,
        summary="",
        axes=axes,
        processes=Processes(),
        series=(),
        api="mpi",
        start="",
        roofs=roofs,
    )


BENCHMARKS = (
    _benchmark(
        "test/memory",
        BYTES,
        Axis(name="kind", kind="choice", summary="", default="copy", choices=("copy", "read")),
    ),
    _benchmark("test/cores"),
    _benchmark(
        "test/kernel",
        Axis(name="elements", kind="integer", summary="", default="100"),
        roofs=(
            Roof(
                benchmark="test/memory",
                values={"kind": "read"},
                size_axis="bytes",
                of_axis="elements",
                times=16,
            ),
            Roof(benchmark="test/cores"),
            Roof(benchmark="test/elsewhere"),
        ),
    ),
)
