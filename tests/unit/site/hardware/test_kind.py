"""The kind of a node by the files that it sent."""

from leadline.site.doctor.elsewhere import sent_files
from leadline.site.hardware.kind import FILES, hardware

SENT = {
    "/proc/cpuinfo": {"processor\t: 0\nmodel name\t: Xeon 6148\ncpu MHz\t: 2400.1": ""},
    "/proc/meminfo": {"MemTotal:       201326592 kB\nMemFree: 1 kB": ""},
    "/sys/devices/system/cpu/present": {"0-39": ""},
    "/sys/class/infiniband/*/board_id": {"MT_0000000008": "mlx5_0 mlx5_1"},
    "/sys/class/net/*/device/device": {"0x1017": "ens1 ens2", "0x15ff": "eno1"},
}


def test_hardware_is_what_the_files_say():
    assert set(SENT) == set(FILES)
    found = hardware(sent_files(SENT))
    assert (found.processor, found.processors) == ("Xeon 6148", 40)
    assert found.memory_bytes == 192 * 2**30
    assert found.adapters == ("0x1017", "0x1017", "0x15ff", "MT_0000000008", "MT_0000000008")


def test_what_a_bad_part_changes_is_no_part_of_it():
    slow = {**SENT, "/proc/cpuinfo": {"model name\t: Xeon 6148\ncpu MHz\t: 800.0": ""}}
    assert hardware(sent_files(slow)) == hardware(sent_files(SENT))


def test_a_node_that_sent_nothing_has_no_name():
    found = hardware(sent_files({}))
    assert str(found) == "unknown processor, 0 processors"
