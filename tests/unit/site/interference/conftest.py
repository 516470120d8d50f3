"""A made-up machine whose processes spend what a test tells them to."""

import os

import pytest

from leadline.site.hardware.files import Files
from leadline.site.interference.watcher import InterferenceWatcher

MARK = "LEADLINE_TAG=run/0"


class Machine:
    """A tree of /proc and /sys whose processes spend what a test tells them to."""

    def __init__(self, root):
        self.files, self.now_s = Files(root), 0.0
        self._root = root
        self.write("proc/loadavg", "1.50 1 1 1/1 1")
        self.spend()
        self.process(os.getpid(), "leadline")

    def write(self, path, text):
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def spend(self, busy=0, idle=0, stolen=0, running=1):
        self.write("proc/stat", f"cpu {busy} 0 0 {idle} 0 0 0 {stolen}\nprocs_running {running}\n")

    def process(self, pid, name, ticks=0, parent=1, start=5, state="S", mark=""):
        numbers = " ".join(["0"] * 9)
        self.write(
            f"proc/{pid}/stat",
            f"{pid} ({name}) {state} {parent} {numbers} {ticks} 0 0 0 0 0 0 0 {start} 0\n",
        )
        self.write(f"proc/{pid}/environ", f"HOME=/\0{mark}\0")

    def watch(self, **options):
        return InterferenceWatcher(MARK, files=self.files, clock=lambda: self.now_s, **options)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)
