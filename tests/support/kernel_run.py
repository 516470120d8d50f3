"""Made-up runs of one kernel in several ways, with the roofs that bound it."""

from figures import flat

from leadline.analysis.results.rates import with_bounds
from leadline.model.description import Axis, Benchmark, Processes, Roof, Trial
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis

_WORD = {"kind": "word", "summary": "", "default": "all"}
KERNEL = Benchmark(
    name="test/kernel",
    summary="",
    axes=(
        Axis(name="elements", kind="integer", summary="", default="100"),
        Axis(name="variant", **_WORD),
        Axis(name="compiler", **_WORD),
        Axis(name="flags", **_WORD),
    ),
    processes=Processes(),
    series=(),
    api="mpi",
    start="",
    roofs=(Roof(benchmark="test/memory", size_axis="bytes", of_axis="elements", times=16),),
    trials=(
        Trial(name="nan", definition="A NaN in the data is in the answer"),
        Trial(name="denormals", definition="Small numbers are kept"),
    ),
    kernels="kernel",
)
MEMORY = Benchmark(
    name="test/memory",
    summary="",
    axes=(Axis(name="bytes", kind="bytes", summary="", default="1K"),),
    processes=Processes(),
    series=(),
    api="mpi",
    start="",
)


def figure(benchmark, axes, seconds, **more):
    measured = {
        "benchmark": benchmark, "series": "call", "processes": 1, "processes_per_node": 1,
        "mpi": "lib-1", "ci95_low_s": 0.99 * seconds, "ci95_high_s": 1.01 * seconds,
        "launch_medians_s": (0.99 * seconds, seconds, 1.01 * seconds),
    }  # fmt: skip
    return flat(seconds, None, axes=axes, **(measured | more))


def way(variant, rates, compiler="gcc-12.2.0", flags="-O2", failed=()):
    """Return the figures of a way with these rates in Gflop/s by elements."""
    return [
        figure(
            "test/kernel",
            {"elements": elements, "variant": variant, "compiler": compiler, "flags": flags},
            seconds := 2e-9 * elements / rate,
            bandwidth_MBps=16e-6 * elements / seconds,
            flops_per_s=1e9 * rate,
            failed_trials=tuple(failed),
            verified=not failed,
        )
        for elements, rate in rates.items()
    ]


def memory(rates):
    """Return the figures of the roof with these rates in Gbyte/s by elements of the kernel."""
    return [
        figure("test/memory", {"bytes": 16 * n}, 16e-9 * n / rate, bandwidth_MBps=1e3 * rate)
        for n, rate in rates.items()
    ]


# The wrong way is the fastest everywhere, the library the second at 10000 elements.
WAYS = (
    way("plain.c", {100: 2, 1000: 2, 10000: 2})
    + way("wide.c", {100: 8, 1000: 20, 10000: 10}, flags="-O3+-march=native")
    + way("wide.c", {100: 9, 1000: 30, 10000: 12}, flags="-Ofast", failed=["nan", "denormals"])
    + way("blas-1.0", {100: 4, 1000: 16, 10000: 11}, compiler="ready", flags="none")
)
ROOF = memory({100: 400, 1000: 200, 10000: 100})


def run_of(points=(*WAYS, *ROOF), **machine):
    bounded = with_bounds(points, (KERNEL, MEMORY))
    run = Run(
        run="the-run",
        leadline="1",
        plan=Plan(entries=()),
        started="",
        outcome=Outcome(state="complete"),
        machine=machine,
        benchmarks=[KERNEL, MEMORY],
    )
    return run, Analysis(points=bounded, sweeps=())
