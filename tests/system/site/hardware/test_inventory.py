"""This machine, as it is described."""

import json
import os

from leadline.site.hardware import facts
from leadline.site.hardware.files import parse_cpus


def test_this_machine_is_described_in_json():
    found = facts()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["memory_bytes"] > 2**26
    assert found["page_size_bytes"] == os.sysconf("SC_PAGE_SIZE")
    assert set(parse_cpus(found["cpus_allowed"])) == os.sched_getaffinity(0)
    assert found["host"] == os.uname().nodename
