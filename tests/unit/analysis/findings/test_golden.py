"""The words and numbers of each kind of finding, on real data where there are any.

The functions in `examples/`, called as the kinds, make the evidence, and `golden.txt` has what each
rule finds in it. A changed sentence is written with
`LEADLINE_GOLDEN=write pytest tests/unit/analysis/findings/test_golden.py`, and read before it is
committed.
"""

import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Mapping
from operator import methodcaller
from pathlib import Path

import pytest
from tried_advice import promises
from wording import faults_of

from leadline.analysis.findings.conclude import judge_pairs
from leadline.analysis.findings.kinds import RULES, kinds
from leadline.core.units import times
from leadline.model.summary import Finding

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.txt"
# Kinds by the file of published data that shows them, and by the run that was measured and kept.
PUBLISHED = {
    "best_size": "datasets/waseda-pingpong-score.csv",
    "communication_share": "datasets/chic-fem2d-parallel-2007.csv",
    "grows_with_processes": "datasets/chic-global-sum-2007.csv",
    "latency_stops_scaling": "datasets/arsc-hydrology-mpi-1997.csv",
    "link_limit": "datasets/waseda-pingpong-score.csv",
    "machine_generations": "datasets/chemnitz-machines.csv",
    "neighbours_disturb": "datasets/arsc-shmem-put-1997.csv",
    "placements_compared": "datasets/chic-fem2d-parallel-2007.csv",
    "rate_falls": "datasets/waseda-pingpong-score.csv",
    "speedup": "datasets/chic-fem2d-parallel-2007.csv",
    "speedup_stops": "datasets/arsc-hydrology-mpi-1997.csv",
    "steadiness": "datasets/arsc-shmem-put-1997.csv",
}
RECORDED = {
    "guideline_violated": "collectives",
    "libraries_compared": "libraries",
    "noise_cost": "noise",
    "noise_share": "noise",
    "overlap": "collectives",
    "periodic_noise": "noise",
    "protocol_switch": "libraries",
    "split_is_faster": "libraries",
    "variants_compared": "algorithms",
}


def made() -> Mapping[str, Callable]:
    """Return the makers of evidence by kind."""
    found = {}
    for path in (HERE / "examples").glob("*.py"):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= {name: one for name, one in vars(module).items() if name in RULES}
    for kind, path in PUBLISHED.items():
        found[kind] = methodcaller("imported", path)
    for kind, run in RECORDED.items():
        found[kind] = methodcaller("recorded", run)
    return found


EXAMPLES = made()


def lines(finding: Finding) -> Iterator[str]:
    """Yield what a person reads of a finding, and its numbers."""
    yield f"{finding.severity}: {finding.text}"
    if finding.advice:
        yield f"  {finding.advice}"
    if finding.command:
        yield f"  $ {finding.command}"
    if finding.gain:
        yield f"  gain {times(finding.gain.times)}"
    numbers = (f"{name} {value:.4g}" for name, value in finding.evidence.items())
    yield f"  = {', '.join(numbers)}"


def sections() -> dict[str, str]:
    """Return what is golden, by kind."""
    parts = re.split(r"^## (\w+)\n", GOLDEN.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("kind", kinds())
def test_what_a_rule_finds_is_golden(kind, makers) -> None:
    whole = EXAMPLES[kind](makers)
    found = list(RULES[kind].find(whole, judge_pairs(whole)))
    assert found and [fault for one in found for fault in faults_of(one)] == []
    assert [one.text for one in found if not promises(one)] == []
    text = "\n".join([*(line for one in found for line in lines(one)), ""])
    if os.environ.get("LEADLINE_GOLDEN") == "write":
        golden = sections() | {kind: text}
        GOLDEN.write_text("".join(f"## {one}\n{golden[one]}" for one in sorted(golden)))
    assert text == sections()[kind]
