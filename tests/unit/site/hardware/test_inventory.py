import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.site.hardware import facts, software
from leadline.site.hardware.files import Files
from leadline.site.hardware.inventory import container, hypervisor

CPU = "/sys/devices/system/cpu"


@pytest.fixture(autouse=True)
def no_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no compiler for its version."""
    monkeypatch.setattr(software, "_compilers", dict)


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[dict[str, str]], Files]:
    """Return a function that writes files below a made-up root."""

    def write(contents: dict[str, str]) -> Files:
        for path, content in contents.items():
            target = tmp_path / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content + "\n")
        return Files(tmp_path)

    return write


def test_two_sockets_of_two_cores_with_two_threads(tree):
    contents = {f"{CPU}/online": "0-7"}
    for cpu in range(8):
        topology = f"{CPU}/cpu{cpu}/topology"
        contents[f"{topology}/physical_package_id"] = str(cpu % 4 // 2)
        contents[f"{topology}/thread_siblings_list"] = f"{cpu % 4},{cpu % 4 + 4}"
    found = facts(tree(contents))
    assert (found["sockets"], found["cores"], found["threads_per_core"]) == (2, 4, 2)


def test_caches_devices_and_memory_have_units(tree):
    cache = f"{CPU}/cpu0/cache"
    found = facts(
        tree(
            {
                f"{CPU}/online": "0",
                f"{cache}/index0/level": "1",
                f"{cache}/index0/type": "Data",
                f"{cache}/index0/size": "48K",
                f"{cache}/index3/level": "3",
                f"{cache}/index3/type": "Unified",
                f"{cache}/index3/size": "32768K",
                "/proc/meminfo": "MemTotal: 1024 kB\nHugePages_Total: 3",
                "/proc/sys/vm/nr_hugepages": "3",
                "/sys/class/net/eth0/operstate": "up",
                "/sys/class/net/eth0/speed": "25000",
                "/sys/class/net/tun0/operstate": "up",
                "/sys/class/net/tun0/speed": "-1",
                "/sys/class/infiniband/mlx5_0/ports/1/rate": "200 Gb/sec (4X HDR)",
                "/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA X",
            }
        )
    )
    assert found["caches_bytes"] == {"L1d": 49152, "L3": 2**25}
    assert found["memory_bytes"] == 2**20
    assert found["huge_pages_reserved"] == 3
    speeds = {port["name"]: port["speed_bit_per_s"] for port in found["network_interfaces"]}
    assert speeds == {"eth0": 25 * 10**9, "tun0": None}
    assert found["infiniband_devices"][0]["rate"] == "200 Gb/sec (4X HDR)"
    assert found["accelerators"] == ["NVIDIA X"]


@pytest.mark.parametrize(
    ("contents", "hertz"),
    [
        ({f"{CPU}/cpu0/cpufreq/base_frequency": "2100000"}, 2.1e9),
        ({f"{CPU}/cpu0/acpi_cppc/nominal_freq": "2450"}, 2.45e9),
        ({"/proc/cpuinfo": "model name : Some CPU @ 2.60GHz\ncpu MHz : 3500.0"}, 2.6e9),
        ({"/proc/cpuinfo": "model name : Some CPU\ncpu MHz : 2596.142"}, 2.596142e9),
        # What a core does at this moment is not what it is sold as.
        ({"/proc/cpuinfo": "cpu MHz : 3500.0\nflags : fpu aperfmperf"}, None),
        ({"/proc/cpuinfo": "cpu MHz : 3500.0", f"{CPU}/cpu0/cpufreq/scaling_governor": "x"}, None),
        ({}, None),
    ],
)
def test_nominal_frequency(tree, contents, hertz):
    found = facts(tree(contents))
    assert found["nominal_frequency_hz"] == (pytest.approx(hertz) if hertz else None)
    assert (found["nominal_frequency_source"] is None) == (hertz is None)


def test_accelerators_without_a_driver_are_named_after_their_maker(tree):
    pci = "/sys/bus/pci/devices"
    found = facts(
        tree(
            {
                f"{pci}/0000:01:00.0/class": "0x038000",
                f"{pci}/0000:01:00.0/vendor": "0x1002",
                f"{pci}/0000:02:00.0/class": "0x020000",
                f"{pci}/0000:02:00.0/vendor": "0x8086",
            }
        )
    )
    assert found["accelerators"] == ["AMD device"]


def test_an_empty_machine_is_described_with_none(tree):
    found = facts(tree({}))
    json.dumps(found, allow_nan=False)
    assert found["memory_bytes"] is None
    assert found["cpu_model"] is None


@pytest.mark.parametrize(
    ("contents", "name"),
    [
        ({"/proc/cpuinfo": "flags : fpu"}, None),
        ({"/proc/cpuinfo": "flags : fpu hypervisor"}, "unnamed hypervisor"),
        ({"/sys/hypervisor/type": "xen"}, "xen"),
        ({"/sys/class/dmi/id/product_name": "KVM Virtual Machine"}, "KVM Virtual Machine"),
        ({"/sys/class/dmi/id/product_name": "PowerEdge"}, None),
    ],
)
def test_hypervisors(tree, contents, name):
    assert hypervisor(tree(contents)) == name


@pytest.mark.parametrize(
    ("contents", "environment", "name"),
    [
        ({}, {}, None),
        ({"/.dockerenv": ""}, {}, "docker"),
        ({"/.dockerenv": "", "/proc/2/comm": "kthreadd"}, {}, None),
        ({"/proc/2/comm": "kthreadd"}, {"APPTAINER_NAME": "x.sif"}, "apptainer"),
        ({"/run/.containerenv": ""}, {}, "podman"),
        ({"/proc/1/cgroup": "0::/kubepods/pod1"}, {}, "kubepods"),
        ({}, {"container": "lxc"}, "lxc"),
    ],
)
def test_containers(tree, contents, environment, name):
    assert container(tree(contents), environment) == name


def test_the_timer_is_what_the_kernel_was_configured_with(tree):
    assert facts(tree({}))["timer_hz"] is None
    path = f"/boot/config-{os.uname().release}"
    assert (
        facts(tree({path: "# CONFIG_HZ_100 is not set\nCONFIG_HZ=250\nCONFIG_HZ_X=1"}))["timer_hz"]
        == 250
    )


def test_a_compressed_configuration_is_read_unless_it_is_damaged(tmp_path):
    (tmp_path / "proc").mkdir()
    configuration = tmp_path / "proc" / "config.gz"
    configuration.write_bytes(gzip.compress(b"CONFIG_HZ=1000\n"))
    assert facts(Files(tmp_path))["timer_hz"] == 1000
    configuration.write_bytes(configuration.read_bytes()[:-9])
    assert facts(Files(tmp_path))["timer_hz"] is None
    configuration.write_bytes(b"CONFIG_HZ=1000\n")
    assert facts(Files(tmp_path))["timer_hz"] is None
