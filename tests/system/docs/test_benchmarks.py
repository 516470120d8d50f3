"""The reference of benchmarks says what a probe that is built here says."""

import re
import runpy

import pytest
from checkout import CHECKOUT


@pytest.mark.mpi
def test_times_and_options_are_those_of_the_probe(tmp_path):
    """Defaults apart, which may leave out what the MPI at hand cannot do."""
    from leadline.measure.build.probe import probe_for
    from leadline.site.mpi.discovery import find_installations

    installation = next((each for each in find_installations() if "mpi" in each.apis), None)
    if installation is None:
        pytest.skip("nothing here starts MPI programs: install mpich")
    probe = probe_for(installation, "mpi", lambda text: None)
    section = runpy.run_path(str(CHECKOUT / "tools" / "benchmarks-reference"))["section"]
    page = (CHECKOUT / "docs" / "reference" / "benchmarks.md").read_text()
    written = {part.partition("\n")[0]: part for part in re.split(r"^### ", page, flags=re.M)}
    assert len(probe.description.benchmarks) > 20
    for benchmark in probe.description.benchmarks:
        told = r"^- time .*$|^\| `\w+` \|"
        said = re.findall(told, section(benchmark), re.MULTILINE)
        assert re.findall(told, written[benchmark.name], re.MULTILINE) == said, benchmark.name
