"""Made-up installations, benchmarks, and the probes that have them."""

from leadline.measure.build.probe import Probe
from leadline.measure.plan.selection import ProbeSet
from leadline.model.description import Benchmark, Description, Processes
from leadline.model.installation import Installation


def made_installation(family="mpich", version="1", **fields):
    """Make an installation with the name of family and version, or with its own."""
    usual = {"name": f"{family}-{version}", "prefix": "/", "source": "test"}
    return Installation(family=family, version=version, **(usual | fields))


def made_benchmark(name, *axes, **fields):
    """Make a benchmark of MPI that any number of processes can run."""
    usual = {"summary": "", "processes": Processes(), "series": (), "api": "mpi", "start": ""}
    return Benchmark(name=name, axes=axes, **(usual | fields))


def made_description(*benchmarks, **fields):
    """Make what a probe of MPI with these benchmarks says of itself."""
    usual = {"format": 1, "api": "mpi", "settings": (), "sample": (), "flags": ()}
    return Description(benchmarks=benchmarks, **(usual | fields))


def made_probe_set(description, **installation):
    """Make the installation `one`, or another, with a probe that describes itself so."""
    probe = Probe(description=description, words=("/probe",))
    return ProbeSet(made_installation(**({"name": "one"} | installation)), {description.api: probe})
