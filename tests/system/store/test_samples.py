"""The memory that samples take, in a process of its own."""

import subprocess
import sys

PEAK = """
import sys
from pathlib import Path
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples
folder = RunFolder(Path(sys.argv[1]))
run = folder.read()
for _ in range(2):
    source = StoredSamples(folder)
    print(sum(len(source.columns(point.index)["seconds"]) for point in run.points))
    if not folder.parquet.exists():
        folder.finish(run)
# In KiB, of this program alone: ru_maxrss would begin with what the tests had at the fork.
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def test_memory_does_not_grow_with_the_number_of_samples(measured):
    peaks = []
    for points in (25, 100):
        made = measured(points=points, samples=20_000)
        made.launch(0)
        result = subprocess.run(
            [sys.executable, "-c", PEAK, made.folder.path],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        first, second, peak = map(int, result.stdout.split())
        assert first == second == points * 20_000
        peaks.append(peak)
    # Four times the samples are 48 MB more of records, in 1.5 million rows of 21 columns more.
    assert peaks[1] < 1.25 * peaks[0]
