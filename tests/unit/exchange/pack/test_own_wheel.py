"""The wheel that is made again of an installed distribution."""

import zipfile
from importlib.metadata import PathDistribution

import pytest

from leadline import __version__
from leadline.core.errors import UserError
from leadline.exchange.pack import own_wheel
from leadline.exchange.pack.own_wheel import repacked

FILES = {
    "tool/__init__.py": "x = 1\n",
    "tool/_built/lib.so": "\x7fELF",
    "tool/__pycache__/__init__.cpython-311.pyc": "",
    "../../../bin/tool": "#!/env/bin/python\n",
    "tool-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tool\nVersion: 1\n",
    "tool-1.dist-info/WHEEL": (
        "Wheel-Version: 1.0\n"
        "Tag: py3-none-manylinux_2_28_x86_64\nTag: py3-none-manylinux2014_x86_64\n"
    ),
    "tool-1.dist-info/INSTALLER": "pip\n",
    "tool-1.dist-info/direct_url.json": "{}",
}


def test_it_has_what_the_wheel_had(tmp_path):
    packages = tmp_path / "env/lib/python3/site-packages"
    for name, text in FILES.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    (packages / "tool/_built/lib.so").chmod(0o755)
    record = packages / "tool-1.dist-info/RECORD"
    record.write_text("".join(f"{name},,\n" for name in (*FILES, "tool-1.dist-info/RECORD")))
    made = repacked(PathDistribution(record.parent), tmp_path)
    assert made.name == "tool-1-py3-none-manylinux_2_28_x86_64.manylinux2014_x86_64.whl"
    wheel = zipfile.ZipFile(made)
    kept = ["tool/__init__.py", "tool/_built/lib.so", "tool-1.dist-info/METADATA",
            "tool-1.dist-info/WHEEL", "tool-1.dist-info/RECORD"]  # fmt: skip
    assert wheel.namelist() == kept
    assert wheel.getinfo("tool/_built/lib.so").external_attr >> 16 & 0o111
    lines = wheel.read("tool-1.dist-info/RECORD").decode().splitlines()
    assert [line.split(",")[0] for line in lines] == kept
    assert lines[0].endswith(",6") and ",sha256=" in lines[0] and lines[-1].endswith("RECORD,,")


def test_a_checkout_packs_what_make_dist_made(tmp_path, monkeypatch):
    monkeypatch.setattr(own_wheel, "source_folder", lambda: tmp_path)
    with pytest.raises(UserError, match="runs from its sources: `make dist`"):
        own_wheel.own_wheel(tmp_path)
    wheel = tmp_path / f"dist/leadline-{__version__}-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    (tmp_path / "dist/leadline-0.0-py3-none-any.whl").touch()
    assert own_wheel.own_wheel(tmp_path) == wheel
