"""The wheel, built as `make dist` builds it."""

import sys

import pytest
from checkout import CHECKOUT
from packages import finish


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    for package in ("build", "ziglang"):
        pytest.importorskip(package, reason=f"needs the package {package}: tools/setup dist")
    folder = tmp_path_factory.mktemp("dist")
    finish(sys.executable, CHECKOUT / "tools/reference.py", CHECKOUT / "build/reference")
    finish(sys.executable, CHECKOUT / "tools/dist.py")
    finish(sys.executable, "-m", "build", "--wheel", "--outdir", folder, CHECKOUT)
    (found,) = folder.iterdir()
    return found
